import { probabilities, scores, topLabel } from '../../../ml/classifier.ts';
import type { Heads } from '../../../ml/heads.ts';
import type { InstalledVersion } from '../../../ml/model-directory.ts';
import { type AnomalyDetector, deviationMap, deviationProbability, photoScore } from '../../../ml/patches.ts';
import type { Session } from '../../../ml/session.ts';
import { shareHead, shareMemory } from '../../../ml/shared-heads.ts';
import type { Tensors } from '../../../ml/tensor.ts';
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
  const memory = shareMemory(detector.memory);
  const mastersOf = (outputs: Tensors) => {
    const deviation = deviationProbability(detector.photo, photoScore(outputs['patches']!.data as Float64Array));
    return scores(labels, Float64Array.of(deviation, 1 - deviation));
  };
  const listed = (outputs: Tensors) => mastersOf(outputs).filter(({ name, conf }) => name === DEVIATION && conf >= 0.5);
  return {
    version,
    input,
    surfaces: surface.labels,
    masters: labels,
    defects: [DEVIATION],
    network: session,
    readout: { heads: { surface: shareHead(surface) }, memory },
    mainDefect: { readout: { heads: {}, memory }, read: (outputs) => listed(outputs)[0]?.name ?? '' },

    classify(outputs) {
      const distances = outputs['patches']!.data as Float64Array;
      const [height, width] = outputs['patches']!.dims as [number, number];
      const map = Buffer.from(deviationMap(detector.patch, distances)).toString('base64');
      return {
        recorded: {
          surface: topLabel(surface.labels, probabilities(surface, outputs['surface']!.data as Float64Array)),
          masters: mastersOf(outputs),
          defects: listed(outputs),
          model_version: version,
        },
        attachment: { width, height, maps: { [DEVIATION]: map } },
      };
    },
  };
}
