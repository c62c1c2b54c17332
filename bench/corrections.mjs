// node bench/corrections.mjs DATA_FOLDER [CACHE_FOLDER]: what 200 corrections teach, first the shipped version about photos of
// another camera, then heads that were trained without one data set, whose photos the network was trained on.
import './help.mjs';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { openEmbedder, readPhotos } from '../training/defectoscopy/features.mjs';

const { fitChange, predictPhotos } = await import('../dist/ml/adapt-head.js');
const { fitTemperature } = await import('../dist/ml/calibration.js');
const { classify, logitsOf } = await import('../dist/ml/classifier.js');
const { fitStatistics, pickRows } = await import('../dist/ml/fit-familiarity.js');
const { createFitter } = await import('../dist/ml/logistic.js');
const { parseHeads } = await import('../dist/ml/heads.js');
const { accuracy, calibrationError } = await import('../dist/ml/metrics.js');
const { parseReplay, writeReplay, calibratedLogits, coordinatesOf, joinRows } = await import('../dist/ml/replay.js');
const { createRandom } = await import('../dist/base/random.js');

const CORRECTIONS = 200;
const DRAWS = 3;

const [dataFolder, cache = join(tmpdir(), 'assay-photo-features')] = process.argv.slice(2);
const modelFolder = fileURLToPath(new URL('../models/defectoscopy/1.0.0', import.meta.url));
const model = await openEmbedder(modelFolder, cache);
const D = model.dimensions;
const { masters, sound } = model.manifest.taxonomy;
const labels = [...Object.values(masters).flat(), sound];
const rows = await readPhotos(dataFolder, cache);
const features = await model.embed(rows.map(({ path }) => path));
const unseen = rows.filter(({ split }) => split !== 'train');
const darkFeatures = await model.embed(await photographDarkly());
await model.close();
const row = (i) => features.subarray(i * D, (i + 1) * D);
const target = (i) => labels.indexOf(rows[i].defect);
const indices = (isWanted) => rows.flatMap((each, i) => (isWanted(each) ? [i] : []));
const sets = [...new Set(rows.map(({ set }) => set))];

/** The validation and test photos as a camera shows them in poor light: darker, yellowish, less sharp. */
async function photographDarkly() {
  const folder = join(cache, 'dark');
  mkdirSync(folder, { recursive: true });
  const paths = [];
  for (const [i, { path }] of unseen.entries()) {
    paths.push(join(folder, `${i}.jpg`));
    if (existsSync(paths[i])) continue;
    const coloured = await sharp(path).toColourspace('srgb').png().toBuffer();
    await sharp(coloured).linear([0.62, 0.56, 0.48], [6, 8, 14]).blur(0.9).jpeg({ quality: 60 }).toFile(paths[i]);
  }
  return paths;
}

/** The photos at these indices of `rows`, or of `unseen` with other features, as `head` sees them. */
const asHeadPhotos = (chosen, head, projection, rowOf = row, targetOf = target) => ({
  points: joinRows(chosen.map((i) => coordinatesOf(projection, rowOf(i)))),
  logits: joinRows(chosen.map((i) => calibratedLogits(head, rowOf(i)))),
  targets: chosen.map(targetOf),
});

/** The same `CORRECTIONS` of the candidates for each number. */
function draw(candidates, number) {
  const random = createRandom(number);
  const order = candidates.map((i) => [random(), i]).sort(([a], [b]) => a - b);
  return order.slice(0, CORRECTIONS).map(([, i]) => i);
}

/** A head for defects, as `training/defectoscopy/heads.py` fits it, without the fine-tuned share. */
function fitBase(isIncluded) {
  const [train, val] = ['train', 'val'].map((name) => indices((each) => each.split === name && isIncluded(each)));
  const targets = Int32Array.from(train, target);
  const fitted = createFitter({ features: pickRows(features, D, train), dimensions: D, targets }, labels.length)(0.03);
  const raw = { labels, ...fitted };
  return {
    ...raw,
    temperature: fitTemperature(
      val.map((i) => logitsOf(raw, row(i))),
      val.map(target),
    ),
  };
}

const accuracyOf = (head, photos) =>
  accuracy(photos.map((i) => ({ probabilities: classify(head, row(i)), target: target(i) })));
const percent = (share) => (100 * share).toFixed(1);
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

const read = (name) => readFileSync(join(modelFolder, name), 'utf8');
const { heads } = parseHeads(read('heads.json'));
const shipped = parseReplay(read('replay.json'), heads);
const split = (name) => unseen.flatMap((each, i) => (each.split === name ? [i] : []));
const asDark = (chosen) =>
  asHeadPhotos(
    chosen,
    heads.defects,
    shipped.projection,
    (i) => darkFeatures.subarray(i * D, (i + 1) * D),
    (i) => heads.defects.labels.indexOf(unseen[i].defect),
  );
const [dark, usual] = [
  asDark(split('test')),
  { ...shipped.test, logits: shipped.test.logits.defects, targets: shipped.test.targets.defects },
];
const figures = (change) =>
  [dark, usual].map((photos) => {
    const predictions = predictPhotos(photos, change);
    return `${percent(accuracy(predictions))} % (calibration error ${calibrationError(predictions).toFixed(3)})`;
  });
console.log('test photos in poor light, and as they are:');
console.log(`before: ${figures().join(', ')}`);
const old = { points: shipped.known.points, logits: shipped.known.logits.defects };
for (let number = 1; number <= DRAWS; number++) {
  const change = fitChange(old, asDark(draw(split('val'), number)), shipped.projection.variances.length);
  console.log(`after, draw ${number}: ${figures(change).join(', ')}`);
}

const complete = fitBase(() => true);
console.log('left out | before, after, with all photos % | regained | worst change of another set | calibration error');
for (const left of sets) {
  const head = fitBase(({ set }) => set !== left);
  const train = indices(({ set, split }) => set !== left && split === 'train');
  const photos = indices(({ set }) => set !== left).map((i) => {
    return { features: row(i), isTest: rows[i].split === 'test', labels: { defects: rows[i].defect } };
  });
  const projection = fitStatistics(pickRows(features, D, train), D, 128);
  const replay = parseReplay(writeReplay(photos, { defects: head }, projection), { defects: head });
  const asPhotos = (chosen) => asHeadPhotos(chosen, head, replay.projection);
  const test = Object.fromEntries(
    sets.map((name) => [name, indices(({ set, split }) => set === name && split === 'test')]),
  );
  const before = Object.fromEntries(sets.map((name) => [name, accuracyOf(head, test[name])]));
  const after = Object.fromEntries(sets.map((name) => [name, []]));
  const errors = [];
  for (let number = 1; number <= DRAWS; number++) {
    const corrected = draw(
      indices(({ set, split }) => set === left && split !== 'test'),
      number,
    );
    const old = { points: replay.known.points, logits: replay.known.logits.defects };
    const change = fitChange(old, asPhotos(corrected), replay.projection.variances.length);
    for (const name of sets) after[name].push(accuracy(predictPhotos(asPhotos(test[name]), change)));
    errors.push(calibrationError(predictPhotos(asPhotos(test[left]), change)));
  }
  const full = accuracyOf(complete, test[left]);
  const loss = full - before[left];
  const changes = sets.filter((name) => name !== left).map((name) => [mean(after[name]) - before[name], name]);
  const [worst, name] = changes.sort(([a], [b]) => a - b)[0];
  const regained = loss > 0.005 ? `${percent((mean(after[left]) - before[left]) / loss)} %` : 'no loss';
  console.log(
    `${left} | ${percent(before[left])}, ${percent(mean(after[left]))}, ${percent(full)} | ${regained} | ${percent(worst)} (${name}) | ${mean(errors).toFixed(3)}`,
  );
}
