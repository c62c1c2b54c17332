// `node bench/similar.mjs DATA_FOLDER [--records 100000] [--photos 1000]`: latency and recall of similar pictures through the
// listener, precision and recall of the same photo. DATA_FOLDER holds the tars and labels.csv. Photos are perturbed with sharp; the
// features of the records lie between those of a photo and of its perturbed copies. Takes some 10 minutes on two cores.
import './help.mjs';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pLimit from 'p-limit';
import sharp from 'sharp';
import { request } from 'undici';
import { openEmbedder, readPhotos } from '../training/defectoscopy/features.mjs';
import { openBench, option, TOKEN } from './lib.mjs';

const { createRandom } = await import('../dist/base/random.js');
const { signBits } = await import('../dist/base/signature.js');
const { createSigner } = await import('../dist/ml/feature-signature.js');
const { parseFamiliarity } = await import('../dist/ml/familiarity-json.js');
const { decodePhoto } = await import('../dist/ml/image.js');
const { openSession } = await import('../dist/ml/session.js');
const { createPicture, readGreyLevels } = await import('../dist/services/shared/images/picture.js');
const { isSamePhoto, MAX_DIFFERENT_BITS, patternOf } = await import('../dist/services/catalog/search/photo-pattern.js');

const RECORDS = option('records', 100_000);
const PHOTOS = option('photos', 1000);
const SEARCHES = 200;
const NEIGHBOURS = 10;
/** Numbers of magnetic-tile are close for exposures of one tile. */
const SERIES = 300;
/** Copies of one photo have nearly equal features: a record whose exact cosine is this close to the tenth one is as good. */
const TIE = 1e-4;

const [dataFolder] = process.argv.slice(2);
const cache = join(tmpdir(), 'assay-photo-features');
const folder = fileURLToPath(new URL('../models/defectoscopy/1.0.0', import.meta.url));
const embedder = await openEmbedder(folder, cache);
const D = embedder.dimensions;
const { input } = embedder.manifest;
await embedder.close();
const random = createRandom(19);
const { signal } = new AbortController();

const KINDS = {
  compressed: (image) => image.jpeg({ quality: 40 + Math.floor(random() * 50) }),
  resized: (image, { width }) => image.resize(Math.round(width * (0.4 + random() * 0.5))).jpeg({ quality: 90 }),
  cropped: (image, size) => crop(image, size).jpeg({ quality: 90 }),
  'turned by EXIF': (image) => image.rotate(270).withMetadata({ orientation: 6 }).jpeg({ quality: 90 }),
  'cropped, resized and compressed': (image, size) =>
    crop(image, size)
      .resize(Math.round(size.width * (0.4 + random() * 0.5)))
      .jpeg({ quality: 40 + Math.floor(random() * 50) }),
};

/** Cuts 0 to 5 % of each side. */
function crop(image, { width, height }) {
  const [left, right, top, bottom] = Array.from({ length: 4 }, () => random() * 0.05);
  const size = { width: Math.round(width * (1 - left - right)), height: Math.round(height * (1 - top - bottom)) };
  return image.extract({ left: Math.floor(width * left), top: Math.floor(height * top), ...size });
}

const all = await readPhotos(dataFolder, cache);
const photos = all.filter((_, i) => i % Math.max(1, Math.floor(all.length / PHOTOS)) === 0).slice(0, PHOTOS);
const session = await openSession({ path: join(folder, 'backbone.onnx'), poolSize: 2 });
const copies = await pLimit(3).map(photos, async ({ path }) => {
  const original = readFileSync(path);
  const size = await sharp(original).metadata();
  const files = await Promise.all(Object.values(KINDS).map((perturb) => perturb(sharp(original), size).toBuffer()));
  const versions = [];
  for (const bytes of [original, ...files]) {
    const { pixels } = await decodePhoto(bytes, input);
    const image = { type: 'uint8', dims: [1, input.height, input.width, 3], data: pixels };
    const { features } = await session.run({ image });
    const pattern = patternOf(await readGreyLevels((await createPicture(bytes, signal)).bytes));
    versions.push({ features: features.data, ...pattern });
  }
  return versions;
});
await session.close();

comparePhotos();
await searchSimilar();

/** Each copy is searched among the originals. */
function comparePhotos() {
  const kinds = ['original', ...Object.keys(KINDS)];
  const found = kinds.map(() => 0);
  let others = 0;
  for (const [i, versions] of copies.entries()) {
    for (const [kind, copy] of versions.entries()) {
      for (const [k, [original]] of copies.entries()) {
        if (!isSame(copy, original)) continue;
        if (k === i) found[kind]++;
        else if (!isSeries(photos[i], photos[k])) others++;
      }
    }
  }
  const correct = found.reduce((sum, each) => sum + each, 0);
  console.log(`\nThe same photo: ${photos.length} photos, precision ${percent(correct / (correct + others))}`);
  for (const [kind, name] of kinds.entries()) console.log(`  recall ${name}: ${percent(found[kind] / photos.length)}`);
  const share = correct - found[0];
  console.log(`  recall of all copies: ${percent(share / (photos.length * (kinds.length - 1)))}`);
}

function isSame(a, b) {
  if (a.hash === undefined || b.hash === undefined) return false;
  let bits = 0;
  for (let i = 0; i < a.hash.length; i++) if (a.hash[i] !== b.hash[i]) bits++;
  return bits <= MAX_DIFFERENT_BITS && isSamePhoto(a.pattern, b.pattern);
}

function isSeries(a, b) {
  const [first, second] = [a, b].map(({ path }) => Number(/_num_(\d+)/.exec(path)?.[1] ?? Number.NaN));
  return a.group === b.group || Math.abs(first - second) < SERIES;
}

async function searchSimilar() {
  const { statistics } = parseFamiliarity(readFileSync(join(folder, 'familiarity.json'), 'utf8'), D);
  const sign = createSigner(statistics);
  const weights = Array.from({ length: RECORDS }, () => Array.from(Object.keys(KINDS), () => random()));
  const chosen = Array.from({ length: RECORDS }, () => Math.floor(random() * photos.length));
  const featuresOf = (i) => {
    const [original, ...perturbed] = copies[chosen[i]];
    const share = weights[i].map((weight) => weight / perturbed.length);
    return original.features.map((value, d) =>
      perturbed.reduce((sum, copy, k) => sum + share[k] * (copy.features[d] - value), value),
    );
  };
  const bench = await openBench();
  Object.assign(bench.env, { SERVICES: 'catalog', REPORTS_API_TOKENS: TOKEN, CATALOG_SOURCES: 'none' });
  try {
    await insertRecords(bench.slowDb());
    const { message } = await bench.start('serve');
    const queries = Array.from({ length: SEARCHES }, () => Math.floor(random() * RECORDS));
    const times = [];
    const found = [];
    for (const [n, i] of [...queries.slice(0, 20), ...queries].entries()) {
      const sent = performance.now();
      const url = `${message.listening.catalog}/row/${i}/similar?limit=${NEIGHBOURS}`;
      const { statusCode, body } = await request(url, { headers: { authorization: `Bearer ${TOKEN}` } });
      const { items } = await body.json();
      if (statusCode !== 200) throw new Error(`${statusCode}`);
      if (n < 20) continue;
      times.push(performance.now() - sent);
      found.push(items.map((item) => Number(item.record_id)));
    }
    times.sort((a, b) => a - b);
    const counted = exactRecall(queries.slice(0, 100), found);
    console.log(`\nSimilar pictures among ${RECORDS} records, ${SEARCHES} searches`);
    console.log(`  p50 ${times[SEARCHES >> 1].toFixed(1)} ms, p95 ${times[Math.floor(SEARCHES * 0.95)].toFixed(1)} ms`);
    console.log(`  recall@${NEIGHBOURS} against the exact cosine of all ${D} features: ${counted.recall.toFixed(3)}`);
    console.log(`  the same, if ties within ${TIE} count as misses: ${counted.strict.toFixed(3)}`);
  } finally {
    await bench.close();
  }

  async function insertRecords(db) {
    await db.query(
      `with r as (
         insert into catalog_records (record_id, service, status, created_at, title, search)
         select i, 'defectoscopy', 'done', now(), 'photo', '' from generate_series(0, $1 - 1) i returning number
       ), t as (insert into catalog_texts (number, text) select number, '' from r)
       insert into catalog_details (number, result) select number, '{}' from r`,
      [RECORDS],
    );
    for (let from = 0; from < RECORDS; from += 5000) {
      const ids = Array.from({ length: Math.min(5000, RECORDS - from) }, (_, i) => from + i);
      const signatures = ids.map((i) => sign(featuresOf(i)));
      await db.query(
        `with features as materialized (
           select number, 'bench' as version, ('x' || e.code)::bit(256) as code, decode(e.signature, 'hex') as signature
             from unnest($1::text[], $2::text[], $3::text[]) as e (record_id, code, signature)
             join catalog_records using (record_id)
         ), codes as (insert into catalog_codes (number, version, code) select number, version, code from features)
         insert into catalog_signatures (number, version, signature) select number, version, signature from features`,
        [ids.map(String), signatures.map(signBits), signatures.map((each) => Buffer.from(each).toString('hex'))],
      );
    }
    await db.query('vacuum analyze');
    await db.close();
  }

  /**
   * The share of the found records that are among the nearest by the exact cosine: as near as the last of them, less `TIE`, or
   * (`strict`) one of them.
   */
  function exactRecall(of, found) {
    const standardized = (i) => {
      const values = featuresOf(i).map((value, d) => (value - statistics.mean[d]) / statistics.scale[d]);
      const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
      return values.map((value) => value / length);
    };
    const vectors = of.map(standardized);
    const cosines = of.map(() => new Float64Array(RECORDS));
    for (let i = 0; i < RECORDS; i++) {
      const point = standardized(i);
      for (const [q, vector] of vectors.entries()) {
        for (let d = 0; d < D; d++) cosines[q][i] += vector[d] * point[d];
      }
    }
    const least = cosines.map((all, q) =>
      all
        .filter((_, i) => i !== of[q])
        .sort()
        .at(-NEIGHBOURS),
    );
    const share = (tie) => {
      const near = found.slice(0, of.length).map((ids, q) => ids.filter((i) => cosines[q][i] >= least[q] - tie).length);
      return near.reduce((sum, each) => sum + each, 0) / (of.length * NEIGHBOURS);
    };
    return { recall: share(TIE), strict: share(0) };
  }
}

function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}
