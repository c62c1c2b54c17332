// node bench/familiarity.mjs DATA_FOLDER [CACHE_FOLDER]: how well `familiarity` separates unfamiliar pictures and left-out
// defect classes from the test photos. DATA_FOLDER holds the tars and labels.csv; ../documents and ../speech beside it are
// used if they exist. Nothing is fitted to the unfamiliar pictures.
import './help.mjs';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEmbedder, readPhotos } from '../training/defectoscopy/features.mjs';
import { auroc } from './auroc.mjs';
import { drawUnfamiliarPictures } from './unfamiliar-pictures.mjs';

const { distanceOf, familiarityOf } = await import('../dist/ml/familiarity.js');
const { parseFamiliarity } = await import('../dist/ml/familiarity-json.js');
const { fitStatistics, pickRows } = await import('../dist/ml/fit-familiarity.js');

const [dataFolder, cache = join(tmpdir(), 'assay-photo-features')] = process.argv.slice(2);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const modelFolder = here('../models/defectoscopy/1.0.0');
const model = await openEmbedder(modelFolder, cache);
const D = model.dimensions;
const rowOf = (features, i) => features.subarray(i * D, (i + 1) * D);
const percent = (share) => `${(100 * share).toFixed(1)} %`;

const rows = await readPhotos(dataFolder, cache);
const features = await model.embed(rows.map(({ path }) => path));
const indices = (isWanted) => rows.flatMap((row, i) => (isWanted(row) ? [i] : []));
const test = indices(({ split }) => split === 'test');

const { statistics, distances } = parseFamiliarity(readFileSync(join(modelFolder, 'familiarity.json'), 'utf8'), D);
const familiarity = (of, i) => familiarityOf(distances, distanceOf(statistics, rowOf(of, i)));
const ofTest = test.map((i) => familiarity(features, i));
const warned = (values) => percent(values.filter((value) => value < 0.01).length / values.length);
console.log(`test photos: ${test.length}, warned ${warned(ofTest)}`);
for (const set of new Set(test.map((i) => rows[i].set))) {
  console.log(`  ${set}: warned ${warned(ofTest.filter((_, n) => rows[test[n]].set === set))}`);
}

const kinds = await drawUnfamiliarPictures({ count: 40, docs: here('../docs'), speech: join(dataFolder, '../speech') });
const documents = ['scans', 'layouts'].map((name) => join(dataFolder, '../documents', name)).filter(existsSync);
kinds.documents = documents.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.jpg'))
    .map((name) => readFileSync(join(folder, name))),
);
const all = [];
for (const [kind, pictures] of Object.entries(kinds)) {
  const folder = join(cache, 'unfamiliar', kind);
  mkdirSync(folder, { recursive: true });
  const paths = pictures.map((bytes) => {
    const path = join(folder, `${createHash('sha256').update(bytes).digest('hex')}.jpg`);
    writeFileSync(path, bytes);
    return path;
  });
  const found = await model.embed(paths);
  const values = paths.map((_, i) => familiarity(found, i));
  all.push(...values);
  console.log(`${kind}: ${paths.length} pictures, AUROC ${auroc(ofTest, values).toFixed(3)}, warned ${warned(values)}`);
}
await model.close();
console.log(`all unfamiliar pictures: ${all.length}, AUROC ${auroc(ofTest, all).toFixed(3)}, warned ${warned(all)}`);

const results = [];
for (const left of [...new Set(rows.map(({ defect }) => defect))].filter((name) => name !== 'sound')) {
  const train = indices(({ split, defect }) => split === 'train' && defect !== left);
  const without = fitStatistics(pickRows(features, D, train), D);
  const of = (isLeft) =>
    test.filter((i) => (rows[i].defect === left) === isLeft).map((i) => -distanceOf(without, rowOf(features, i)));
  const value = auroc(of(false), of(true));
  results.push(value);
  console.log(`left out: ${left}, AUROC ${value.toFixed(3)}`);
}
console.log(`left-out classes: mean AUROC ${(results.reduce((a, b) => a + b) / results.length).toFixed(3)}`);
