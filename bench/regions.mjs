// `node bench/regions.mjs DATA_FOLDER [--scenes 15] [--cracks 6]`: share of cracks found in photos of 12 megapixels, false
// regions per sound photo, and seconds and memory per photo of 12 and 48 megapixels. The photos are composed of the test
// split (`scenes.mjs`). `--fit` prints the constants of src/services/defectoscopy/model/regions.ts from the validation split.
import './help.mjs';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from '../scripts/build.mjs';
import { option } from './lib.mjs';
import { composeScene, createRandom, sources } from './scenes.mjs';

ensureBuilt();
const dist = (path) => import(`../dist/${path}.js`);
const { decodePhoto } = await dist('ml/image');
const { openModelDirectory } = await dist('ml/model-directory');
const { createFitter } = await dist('ml/logistic');
const { createInspector, readTiles, sizeForTiles } = await dist('services/defectoscopy/model/inspector');
const { infer } = await dist('services/defectoscopy/model/model-version');
const { SHIPPED_MODELS_DIR, newestShippedVersion } = await dist('services/defectoscopy/model/registry');
const { findRegions, tileEvidence } = await dist('services/defectoscopy/model/regions');
const { openModelVersions } = await dist('services/defectoscopy/model/versions');

const signal = new AbortController().signal;
const models = await openModelDirectory([SHIPPED_MODELS_DIR], console.error);
const versions = openModelVersions(models);
const version = await versions.get(newestShippedVersion(models, SHIPPED_MODELS_DIR).version);
const inspector = createInspector();
const inspect = async (bytes) => {
  const photo = await decodePhoto(bytes, version.input);
  const overview = await infer(version, photo, signal);
  const size = sizeForTiles('whole', photo, overview.recorded);
  return (await inspector.inspect(version, { bytes, size, overview, inspect: 'whole' }, { signal })).recorded;
};

const measured = process.argv.indexOf('--photo');
try {
  if (measured > 0) await measurePhoto(process.argv[measured + 1]);
  else if (process.argv.includes('--fit')) await fitConstants();
  else await measure();
} finally {
  await versions.close();
  models.close();
}

/** Scenes of the split, surfaces in turn; each crack is used once. */
async function* scenes(split) {
  const { readPhotos } = await import('../training/defectoscopy/features.mjs');
  const { sound, cracks } = sources(await readPhotos(process.argv[2], join(tmpdir(), 'assay-photo-features')), split);
  const random = createRandom(1);
  const kindOf = ({ set, surface }) => `${set} ${surface}`;
  const kinds = [...new Set(sound.map(([tile]) => kindOf(tile)))];
  for (let i = 0; i < option('scenes', 15); i++) {
    const kind = kinds[i % kinds.length];
    const photos = sound.filter(([tile]) => kindOf(tile) === kind);
    const tiles = photos[Math.floor(i / kinds.length) % photos.length];
    const own = [];
    while (own.length < option('cracks', 6)) {
      const left = cracks.filter((crack) => kindOf(crack) === kind);
      if (left.length === 0) break;
      own.push(...cracks.splice(cracks.indexOf(left[Math.floor(random() * left.length)]), 1));
    }
    const compose = (pasted, megapixels = 12) =>
      composeScene({ tiles, cracks: pasted, megapixels, random: createRandom(i) });
    yield { kind, sound: (megapixels) => compose([], megapixels), cracked: () => compose(own) };
  }
}

async function fitConstants() {
  const photos = [];
  const readScene = async ({ jpeg }) =>
    readTiles(version, version.tiles, await decodePhoto(jpeg, (size) => size), signal);
  for await (const { sound, cracked } of scenes('val')) {
    const scene = await cracked();
    const { cracks, width, height } = scene;
    const [read, plain] = [await readScene(scene), await readScene(await sound())];
    const evidence = tileEvidence(read.defects, version.tiles.sound, read.defects.labels.indexOf('crack'));
    const shares = read.tiles.map((tile) =>
      Math.max(0, ...cracks.map(({ box }) => shareOf(tile, box, { width, height }))),
    );
    photos.push({ read, plain, evidence, shares, cracks, width, height });
    console.error(`${photos.length} photos`);
  }
  const rows = photos.flatMap(({ evidence, shares }) => evidence.map((values, i) => ({ values, share: shares[i] })));
  // Tiles with a corner of a crack are neither.
  const clear = rows.filter(({ share }) => share === 0 || share >= 0.5);
  const { weights, bias } = createFitter(
    {
      features: Float32Array.from(clear.flatMap(({ values }) => values)),
      dimensions: 2,
      targets: Int32Array.from(clear, ({ share }) => (share > 0 ? 1 : 0)),
    },
    2,
  )(1e-4);
  const [logit, deviation] = [weights[2] - weights[0], weights[3] - weights[1]];
  const fitted = { logit, deviation, bias: bias[1] - bias[0] };
  console.log('CONFIDENCE', fitted);
  for (let least = 0.05; least < 1; least += 0.05) {
    let [found, total, wrong] = [0, 0, 0];
    for (const { read, plain, cracks, width, height } of photos) {
      const regionsOf = (tiles) =>
        findRegions(tiles.tiles, tiles.defects, confidencesWith(tiles.defects, fitted), { width, height }, least);
      const regions = regionsOf(read);
      total += cracks.length;
      found += cracks.filter(({ box }) => regions.some((region) => touches(region, box))).length;
      wrong += regionsOf(plain).length;
    }
    console.log(
      `LEAST_CONFIDENCE ${least.toFixed(2)}: ${found} of ${total} found, ${wrong} false in ${photos.length} sound photos`,
    );
  }
}

function confidencesWith(scores, { logit, deviation, bias }) {
  const columns = scores.labels.map((label, k) =>
    label === version.tiles.sound ? undefined : tileEvidence(scores, version.tiles.sound, k),
  );
  return scores.logits.map((_, i) =>
    Float64Array.from(columns, (column) =>
      column ? 1 / (1 + Math.exp(-(logit * column[i][0] + deviation * column[i][1] + bias))) : 0,
    ),
  );
}

async function measure() {
  const byKind = {};
  let [wrong, sound] = [0, 0];
  for await (const scene of scenes('test')) {
    const { jpeg } = await scene.sound();
    wrong += (await inspect(jpeg)).regions.length;
    sound++;
    const cracked = await scene.cracked();
    const { regions } = await inspect(cracked.jpeg);
    byKind[scene.kind] ??= { found: 0, cracks: 0 };
    const kind = byKind[scene.kind];
    kind.cracks += cracked.cracks.length;
    kind.found += cracked.cracks.filter(({ box }) => regions.some((region) => touches(region, box))).length;
    console.log(
      `${scene.kind}: ${kind.found} of ${kind.cracks} cracks found; ${wrong} false regions in ${sound} sound photos`,
    );
  }
  const all = Object.values(byKind).reduce((a, b) => ({ found: a.found + b.found, cracks: a.cracks + b.cracks }));
  console.log(
    `share found ${(all.found / all.cracks).toFixed(3)} of ${all.cracks}, false regions per sound photo ${(wrong / sound).toFixed(2)}`,
  );
  const { value: first } = await scenes('test').next();
  const folder = await mkdtemp(join(tmpdir(), 'assay-regions-'));
  for (const megapixels of [12, 48]) {
    const path = join(folder, `${megapixels}.jpg`);
    await writeFile(path, (await first.sound(megapixels)).jpeg);
    const line = execFileSync(process.execPath, [fileURLToPath(import.meta.url), '--photo', path], {
      encoding: 'utf8',
    });
    console.log(`${megapixels} megapixels: ${line.trim()}`);
  }
  await rm(folder, { recursive: true });
}

async function measurePhoto(path) {
  const bytes = await readFile(path);
  await inspect(bytes);
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  await inspect(bytes);
  const seconds = (performance.now() - began) / 1000;
  const used = process.cpuUsage(cpu);
  const cpuSeconds = (used.user + used.system) / 1e6;
  const peak = process.resourceUsage().maxRSS / 1024;
  console.log(`${seconds.toFixed(2)} s, ${cpuSeconds.toFixed(2)} s of CPU, peak memory ${peak.toFixed(0)} MiB`);
}

/** Share of the tile that shows the crack's tile. */
function shareOf(tile, [x0, y0, x1, y1], { width, height }) {
  const across = Math.min(tile.x + tile.width, x1 * width) - Math.max(tile.x, x0 * width);
  const down = Math.min(tile.y + tile.height, y1 * height) - Math.max(tile.y, y0 * height);
  return (Math.max(0, across) * Math.max(0, down)) / (tile.width * tile.height);
}

function touches({ box: [x0, y0, x1, y1], defect }, [left, top, right, bottom]) {
  return ['crack', 'crazing'].includes(defect) && x0 < right && left < x1 && y0 < bottom && top < y1;
}
