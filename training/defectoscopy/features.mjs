// Features of the labelled photos, as they are served: decoded by the product, run through a model's backbone.onnx.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from '../../scripts/build.mjs';

ensureBuilt();
const { embed } = await import('../../dist/services/defectoscopy/training/features.js');
const { readTrainingFolder } = await import('../../dist/services/defectoscopy/training/folder.js');
const { openSession } = await import('../../dist/ml/session.js');

const DIRECTIONS = /^(horizontal|vertical|diagonal|hairline|structural)_crack$/;

/** Opens a model version to compute features of image files, cached by content in `cache`. */
export async function openEmbedder(modelFolder, cache) {
  const manifest = JSON.parse(readFileSync(join(modelFolder, 'manifest.json'), 'utf8'));
  const { features: dimensions } = JSON.parse(readFileSync(join(modelFolder, 'heads.json'), 'utf8'));
  const session = await openSession({ path: join(modelFolder, 'backbone.onnx'), poolSize: 2 });
  const folder = join(cache, manifest.files['backbone.onnx'].sha256.slice(0, 16));
  const embedder = { session, input: manifest.input, dimensions, cache: folder };
  return {
    manifest,
    dimensions,
    close: () => session.close(),
    /** Features [N, D] of the images at `paths`; all must be readable. */
    async embed(paths) {
      const { features, unreadable } = await embed(paths, embedder, (done) => {
        if (done % 500 === 0) console.error(`${done} of ${paths.length} images`);
      });
      if (unreadable.size > 0) throw new Error(`Unreadable: ${paths[[...unreadable.keys()][0]]}`);
      return features;
    },
  };
}

/** The rows of labels.csv with the path of the image; the tars are extracted to `cache`. Same rules as data.py. */
export async function readPhotos(dataFolder, cache) {
  const folder = join(cache, 'photos');
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(dataFolder).filter((file) => file.endsWith('.tar'))) {
      execFileSync('tar', ['-xf', join(dataFolder, name), '-C', folder]);
    }
    execFileSync('cp', [join(dataFolder, 'labels.csv'), folder]);
  }
  const { samples } = await readTrainingFolder(folder, { sound: 'sound', groupOf: (defect) => defect });
  const rows = samples.map((sample) => ({
    ...sample,
    set: sample.path.slice(folder.length + 1).split('/')[0],
    defect: sample.defect.replace(DIRECTIONS, 'crack'),
  }));
  const rank = { train: 0, val: 1, test: 2 };
  const photos = new Map(
    rows.filter(({ set }) => set === 'sdnet2018').map(({ group, split }) => [group.split(':')[2], rank[split]]),
  );
  // Tiles of SDNET2018 photos in wall-crack-types: not in an earlier split than their photo.
  const photoOf = ({ set, path }) => (set === 'wall-crack-types' ? /\/(\d+)-\d+_jpg[^/]*$/.exec(path)?.[1] : undefined);
  return rows.filter((row) => !(photos.get(photoOf(row)) > rank[row.split]));
}
