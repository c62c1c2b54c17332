import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import { OperatorError } from '../../../base/operator-error.ts';
import { fitPatches } from '../../../ml/fit-patches.ts';
import { writeHeads } from '../../../ml/heads.ts';
import { decodePhoto } from '../../../ml/image.ts';
import type { Manifest } from '../../../ml/manifest.ts';
import { cellsOf } from '../../../ml/patches.ts';
import { writePatches } from '../../../ml/patches-json.ts';
import { openSession } from '../../../ml/session.ts';
import { DEVIATION } from '../model/anomaly-version.ts';
import { SHIPPED_MODELS_DIR, trainedModelsDir } from '../model/registry.ts';
import { listImages } from './folder.ts';
import { openBase, type TrainOptions, usageLines } from './train.ts';
import { installVersion, jsonText, sha256, versionName } from './write.ts';

/** Fewer photos do not show how much sound photos differ from each other. */
const MIN_PHOTOS = 20;
/** More photos hardly add patches to the memory. */
const MAX_PHOTOS = 200;

/**
 * Fits a detector of deviations to photos of one surface without defects and installs it as a new model version
 * (PatchCore, Roth et al. 2022). The network and the surface head are those of the shipped version.
 */
export async function trainAnomaly(options: TrainOptions): Promise<{ version: string; folder: string }> {
  const { dataDir, log, onProgress = () => {}, shipped = SHIPPED_MODELS_DIR, now = new Date() } = options;
  const root = trainedModelsDir(dataDir);
  const version = await versionName(options.name, [shipped, root], now);
  const { base, backbone, baseHeads } = await openBase(shipped);
  const all = await listImages(options.folder);
  requirePhotos(all.length, options.folder);
  const paths = thinOut(all);
  const photos = await readCells(paths);
  requirePhotos(photos.length, options.folder);

  const { sound } = base.manifest.taxonomy;
  const files = {
    'heads.json': writeHeads({ ...baseHeads, heads: { surface: baseHeads.heads['surface']! } }),
    'patches.json': writePatches(fitPatches(photos, baseHeads.mapChannels)),
  };
  const manifest: Manifest & Record<string, unknown> = {
    service: 'defectoscopy',
    version,
    created: now.toISOString().slice(0, 10),
    input: base.manifest.input,
    files: {
      'backbone.onnx': base.manifest.files['backbone.onnx'],
      'heads.json': { sha256: sha256(files['heads.json']) },
      'patches.json': { sha256: sha256(files['patches.json']) },
    },
    taxonomy: {
      surfaces: [...baseHeads.heads['surface']!.labels],
      masters: { [DEVIATION]: [DEVIATION], [sound]: [] },
      sound,
    },
    thresholds: { defects: { [DEVIATION]: 0.5 } },
    base: { version: base.version },
    training: { images: photos.length },
  };
  const card = [
    `# Defectoscopy model ${version}`,
    '',
    `Reports how much a photo deviates from ${photos.length} photos of one surface without defects, and where (PatchCore, arXiv:2106.08265),`,
    `with the network of version ${base.version}. About 1 % of sound photos have a confidence above 0.5. Photos of other surfaces deviate too.`,
  ].join('\n');
  const folder = await installVersion(root, version, {
    ...files,
    'manifest.json': jsonText(manifest),
    'card.md': `${card}\n`,
  });
  log(`${photos.length} photos without defects.`);
  log(`Version ${version} is installed in ${folder}. It reports the defect “${DEVIATION}”.`);
  for (const line of usageLines(version)) log(line);
  return { version, folder };

  /** The cells of each readable photo. */
  async function readCells(paths: readonly string[]): Promise<Float32Array[]> {
    const session = await openSession({ path: backbone, poolSize: Math.min(4, availableParallelism()) });
    const { input } = base.manifest;
    let done = 0;
    const read = async (path: string) => {
      try {
        const { pixels } = await decodePhoto(await readFile(path), input);
        const { map } = await session.run({
          image: { type: 'uint8', dims: [1, input.height, input.width, 3], data: pixels },
        });
        return [cellsOf(map!.data as Float32Array, baseHeads.mapChannels)];
      } catch (error) {
        log(`Skipped ${path}: ${error instanceof Error ? error.message : String(error)}`);
        return [];
      } finally {
        onProgress(++done, paths.length);
      }
    };
    try {
      return (await pLimit(4).map(paths, read)).flat();
    } finally {
      await session.close();
    }
  }
}

function requirePhotos(count: number, folder: string): void {
  if (count >= MIN_PHOTOS) return;
  throw new OperatorError(
    `${folder} has ${count} readable photos. Training without labels needs at least ${MIN_PHOTOS} photos of one surface without defects.`,
  );
}

/** At most {@link MAX_PHOTOS}, evenly spaced. */
function thinOut(paths: readonly string[]): string[] {
  const count = Math.min(MAX_PHOTOS, paths.length);
  return Array.from({ length: count }, (_, i) => paths[Math.floor((i * paths.length) / count)]!);
}
