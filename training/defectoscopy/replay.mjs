// Writes replay.json, the compressed features of the training and test photos that trainings from corrections replay, and
// adds it to the manifest.
// Usage: node training/defectoscopy/replay.mjs DATA_FOLDER MODEL_FOLDER [CACHE_FOLDER]
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedder, readPhotos } from './features.mjs';

const { fitStatistics, pickRows } = await import('../../dist/ml/fit-familiarity.js');
const { parseHeads } = await import('../../dist/ml/heads.js');
const { writeReplay } = await import('../../dist/ml/replay.js');

/** Fewer keep less of the other classes; chosen in decision 44. */
const COMPONENTS = 128;

const [dataFolder, modelFolder, cache = join(tmpdir(), 'assay-photo-features')] = process.argv.slice(2);
const model = await openEmbedder(modelFolder, cache);
const rows = await readPhotos(dataFolder, cache);
const features = await model.embed(rows.map(({ path }) => path));
await model.close();

const { manifest, dimensions } = model;
const { heads } = parseHeads(readFileSync(join(modelFolder, 'heads.json'), 'utf8'));
const { masters, sound } = manifest.taxonomy;
const photos = rows.map(({ surface, defect, split }, i) => {
  const master = Object.keys(masters).find((name) => masters[name].includes(defect)) ?? sound;
  return {
    features: features.subarray(i * dimensions, (i + 1) * dimensions),
    isTest: split === 'test',
    labels: { surface, masters: master, defects: defect },
  };
});
const train = rows.flatMap(({ split }, i) => (split === 'train' ? [i] : []));
const projection = fitStatistics(pickRows(features, dimensions, train), dimensions, COMPONENTS);
const text = writeReplay(photos, heads, projection);
writeFileSync(join(modelFolder, 'replay.json'), text);

const sha256 = createHash('sha256').update(text).digest('hex');
manifest.files['replay.json'] = { bytes: Buffer.byteLength(text), sha256 };
writeFileSync(join(modelFolder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
console.log(`replay.json: ${Buffer.byteLength(text)} bytes, ${photos.length} photos`);
