import { probabilities, scores, topLabel } from '../../../ml/classifier.ts';
import type { Heads } from '../../../ml/heads.ts';
import type { InstalledVersion } from '../../../ml/model-directory.ts';
import { type AnomalyDetector, deviationMap, deviationProbability, photoScore } from '../../../ml/patches.ts';
import type { Session } from '../../../ml/session.ts';
import { shareHead, shareMemory } from '../../../ml/shared-heads.ts';
import type { ModelVersion } from './model-version.ts';

/** The only defect of a version that was trained on photos without defects. */
export const DEVIATION = 'deviation';

/** A version that reports how much a photo deviates from photos without defects, and where. */
export function createAnomalyVersion(
  { version, manifest: { input, taxonomy } }: InstalledVersion,
  { heads: { surface } }: Heads,
  detector: AnomalyDetector,
  session: Session,
): ModelVersion {
  if (!surface) throw new Error(`Version ${version} has no surface head.`);
  const labels = [DEVIATION, taxonomy.sound];
  const readout = { heads: { surface: shareHead(surface) }, memory: shareMemory(detector.memory) };
  return {
    version,
    input,
    surfaces: surface.labels,
    masters: labels,
    defects: [DEVIATION],
    provider: session.provider,

    async infer({ pixels }, signal) {
      const image = { type: 'uint8', dims: [1, input.height, input.width, 3], data: pixels } as const;
      const outputs = await session.run({ image }, signal, readout);
      const distances = outputs['patches']!.data as Float64Array;
      const [height, width] = outputs['patches']!.dims as [number, number];
      const deviation = deviationProbability(detector.photo, photoScore(distances));
      const masters = scores(labels, Float64Array.of(deviation, 1 - deviation));
      const map = Buffer.from(deviationMap(detector.patch, distances)).toString('base64');
      return {
        recorded: {
          surface: topLabel(surface.labels, probabilities(surface, outputs['surface']!.data as Float64Array)),
          masters,
          defects: masters.filter(({ name, conf }) => name === DEVIATION && conf >= 0.5),
          model_version: version,
        },
        attachment: { width, height, maps: { [DEVIATION]: map } },
      };
    },
  };
}
