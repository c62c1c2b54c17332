// Fits the statistics behind `familiarity` to the training split, calibrates them on the validation split, writes
// familiarity.json and adds it to the manifest.
// Usage: node training/defectoscopy/familiarity.mjs DATA_FOLDER MODEL_FOLDER [CACHE_FOLDER]
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedder, readPhotos } from './features.mjs';

const { writeFamiliarity } = await import('../../dist/ml/familiarity-json.js');
const { fitFamiliarity } = await import('../../dist/ml/fit-familiarity.js');

const [dataFolder, modelFolder, cache = join(tmpdir(), 'assay-photo-features')] = process.argv.slice(2);
const model = await openEmbedder(modelFolder, cache);
const rows = (await readPhotos(dataFolder, cache)).filter(({ split }) => split !== 'test');
const features = await model.embed(rows.map(({ path }) => path));
await model.close();

const indicesOf = (name) => rows.flatMap(({ split }, i) => (split === name ? [i] : []));
const [train, val] = [indicesOf('train'), indicesOf('val')];
const groupOf = (i) => rows[i].group ?? String(i);
const text = writeFamiliarity(fitFamiliarity(features, model.dimensions, { train, val, groupOf }));
writeFileSync(join(modelFolder, 'familiarity.json'), text);

const { manifest } = model;
const sha256 = createHash('sha256').update(text).digest('hex');
manifest.files['familiarity.json'] = { bytes: Buffer.byteLength(text), sha256 };
manifest.familiarity = { training_images: train.length, validation_images: val.length, unfamiliar_below: 0.01 };
writeFileSync(join(modelFolder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
console.log(
  `familiarity.json: ${Buffer.byteLength(text)} bytes, ${train.length} training, ${val.length} validation images`,
);
