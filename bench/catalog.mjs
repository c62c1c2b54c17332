// `node bench/catalog.mjs [--records 100000] [--searches 400] [--kinds PATTERN] [--data DIR] [--exports 0]`: latency of searches and CPU time of
// gateway and database, compared with a bare route that returns 50 rows; export speed and memory. Records and searches are
// seeded, so runs are comparable. DIR keeps the database for further runs: a million records take long to write; it is read
// once, so that the page cache has it as after some use. Linux only: reads /proc.
import './help.mjs';
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { fill, randomOf, records } from './catalog-records.mjs';
import { cpuReader, openBench, option, TOKEN } from './lib.mjs';

const COUNT = option('records', 100_000);
const SEARCHES = option('searches', 400);
const WARMUP_SEARCHES = 30;
const text = (name) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined);
const KINDS = new RegExp(text('--kinds') ?? '');

const COMMON =
  'трещина скол пятно ржавчина штукатурка бетон окно балкон кровля стена потолок фасад лестница площадь crack wall report bridge rust inspection roof leak'.split(
    ' ',
  );

const bench = await openBench(text('--data'));
Object.assign(bench.env, {
  SERVICES: 'catalog',
  CATALOG_PORT: '0',
  REPORTS_API_TOKENS: TOKEN,
  CATALOG_SOURCES: 'none',
});
const dispatcher = new Agent({ connections: 1, bodyTimeout: 0, headersTimeout: 60_000 });
const headers = { authorization: `Bearer ${TOKEN}` };
try {
  const { splitWords } = await import('../dist/services/catalog/records/words.js');
  const startedAt = performance.now();
  const slowDb = bench.slowDb();
  if ((await slowDb.query('select from catalog_records limit 1')).rows.length === 0) {
    await fill(slowDb, records(COUNT), splitWords);
    console.log(`${COUNT} records written in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
    await slowDb.query('checkpoint');
  }
  await slowDb.close();
  if (text('--data')) await readAll(text('--data'));

  const { child, message } = await bench.start('serve');
  const url = message.listening.catalog;
  const bare = await bench.startBare('bare-catalog.mjs');

  console.log(
    `\n${SEARCHES} sequential searches each: ms              p50     p95     max     CPU: p50     p95   (of bare)`,
  );
  const floor = await measure('bare route, 50 rows', () => `${bare.message.listening}/search`, bare.child.pid);
  const random = randomOf(17);
  const found = [];
  const kinds = {
    'with facets: filters and words': () => search(random.chance(0.5) ? filters(random) : words(random)),
    'with facets: filters': () => search(filters(random)),
    'with facets: several values, ranges': () => `${url}/search?${new URLSearchParams(severalValues(random))}`,
    'with facets: an attribute': () => search({ attribute: `general:purpose=${random.pick(['office', 'school'])}` }),
    'with facets: words': () => search(words(random)),
    'with facets: misspelt words': () => search(misspelt(random)),
    'with facets: "two words" quoted': () => search({ q: `"${random.pick(COMMON)} ${random.pick(COMMON)}"` }),
    'a page: filters': () => search({ ...filters(random), facets: false, page: random.whole(1, 3) }),
    'a page: words': () => search({ ...words(random), facets: false }),
    'a page: misspelt words': () => search({ ...misspelt(random), facets: false }),
    'a page: excluded words': () => search({ q: `${random.pick(COMMON)} -${random.pick(COMMON)}`, facets: false }),
    'a page: filters, deep': () => search({ ...filters(random), ...deep(random) }),
    'a page: words, deep': () => search({ ...words(random), ...deep(random) }),
    'with facets: duplicates': () => search(duplicates(random)),
    'a page: duplicates': () => search({ ...duplicates(random), facets: false }),
    'with facets: project and tag': () => search(grouped(random)),
  };
  for (const [name, address] of Object.entries(kinds))
    if (KINDS.test(name)) await measure(name, address, child.pid, floor);
  console.log(
    `  (of the text searches ${Math.round((found.filter(Boolean).length / found.length) * 100)} % had matches)`,
  );

  if (option('exports', 1) > 0) {
    console.log('\nexport of all records        records/s   memory before → peak → after (MB)');
    for (const format of ['jsonl', 'csv', 'xlsx']) await exportAll(format);
  }

  function search(query) {
    return `${url}/search?${new URLSearchParams(Object.entries(query).filter(([, value]) => value !== undefined))}`;
  }

  async function measure(name, address, pid, floor) {
    const times = [];
    const worked = [];
    const cpu = await cpuReader(bench.dataDir, pid);
    for (let i = 0; i < SEARCHES + WARMUP_SEARCHES; i++) {
      const to = address();
      const workedBefore = cpu();
      const sent = performance.now();
      const { statusCode, body } = await request(to, { dispatcher, headers });
      const text = await body.text();
      if (i >= WARMUP_SEARCHES) {
        times.push(performance.now() - sent);
        worked.push((cpu() - workedBefore) / 1000);
      }
      if (statusCode !== 200) throw new Error(`${statusCode} ${text}`);
      if (to.includes('q=')) found.push(JSON.parse(text).total > 0);
    }
    const at = (all, share) => all.sort((a, b) => a - b)[Math.min(Math.floor(SEARCHES * share), SEARCHES - 1)];
    const figures = [at(times, 0.5), at(times, 0.95), at(times, 1), at(worked, 0.5), at(worked, 0.95)];
    const row = figures.map((ms, i) => ms.toFixed(1).padStart(i === 3 ? 13 : 8)).join('');
    const ratios = floor ? figures.map((ms, i) => (ms / floor[i]).toFixed(1)).join(' ') : '';
    console.log(`  ${name.padEnd(38)}${row}   ${ratios}`);
    return figures;
  }

  async function exportAll(format) {
    const memory = () => megabytesOf(child.pid);
    const before = await memory();
    let peak = before;
    const watch = setInterval(async () => {
      peak = Math.max(peak, await memory());
    }, 100);
    const sent = performance.now();
    const { statusCode, body } = await request(`${url}/export?format=${format}`, { dispatcher, headers });
    if (statusCode !== 200) throw new Error(`${statusCode} ${await body.text()}`);
    let bytes = 0;
    for await (const chunk of body) bytes += chunk.length;
    const perSecond = COUNT / ((performance.now() - sent) / 1000);
    clearInterval(watch);
    const figures = [before, peak, await memory()].map((megabytes) => megabytes.toFixed(0));
    console.log(
      `  ${format.padEnd(22)}${perSecond.toFixed(0).padStart(14)}   ${figures.join(' → ')}  (${(bytes / 2 ** 20).toFixed(0)} MB of file)`,
    );
  }
} finally {
  await dispatcher.close();
  await bench.close();
}

async function readAll(folder) {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) for await (const _ of createReadStream(join(entry.parentPath, entry.name)));
  }
}

async function megabytesOf(pid) {
  return Number(/VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

/** Pages up to the 10 000th result. */
function deep(random) {
  return { facets: false, page: random.whole(20, 200) };
}

function filters(random) {
  const day = (at) => new Date(at).toISOString().slice(0, 10);
  const from = Date.UTC(2025, 10, 20) + random.whole(0, 300) * 86_400_000;
  return random.pick([
    () => ({}),
    () => ({ service: random.pick(['defectoscopy', 'stt', 'passports', 'import']) }),
    () => ({ surface: random.pick(['wall', 'floor', 'ceiling', 'facade']) }),
    () => ({ defect: random.pick(['crack', 'rust', 'mold', 'leak']) }),
    () => ({ defect: random.pick(['crack', 'rust', 'mold', 'leak']), min_conf: 0.8 }),
    () => ({ status: 'failed' }),
    () => ({ from: day(from), to: day(from + 30 * 86_400_000) }),
    () => ({ service: 'defectoscopy', surface: 'wall', master: random.pick(['plaster', 'brick']) }),
    () => ({ min_conf: 0.9, sort: 'confidence' }),
    () => ({ has_report: random.chance(0.5) }),
  ])();
}

function duplicates(random) {
  return random.pick([
    () => ({ duplicates: true }),
    () => ({ duplicates: false }),
    () => ({ duplicates: true, defect: random.pick(['crack', 'rust']) }),
    () => ({ duplicates: true, status: 'failed' }),
    () => ({ duplicates: false, min_conf: 0.9, sort: 'confidence' }),
    () => ({ duplicates: true, q: 'crack' }),
  ])();
}

function grouped(random) {
  const project = `project ${random.whole(0, COUNT / 20_000 - 1) % 20}`;
  const tag = random.pick(['north', 'south', 'roof', 'basement']);
  return random.pick([
    () => ({ project }),
    () => ({ tag }),
    () => ({ project, tag }),
    () => ({ not_project: project }),
  ])();
}

function severalValues(random) {
  const year = random.whole(1900, 2000);
  return random.pick([
    () => [
      ['defect', 'crack'],
      ['defect', random.pick(['rust', 'mold', 'leak'])],
    ],
    () => [
      ['not_service', 'stt'],
      ['not_surface', random.pick(['wall', 'floor'])],
    ],
    () => [['range', `general:year_built:${year}..${year + random.pick([0, 5, 50])}`]],
    () => [
      ['range', 'areas:total_area:500..'],
      ['has', 'general:year_built'],
    ],
    () => [
      ['not_has', 'general:year_built'],
      ['service', 'passports'],
    ],
  ])();
}

function words(random) {
  return random.pick([
    () => ({ q: random.pick(COMMON) }),
    () => ({ q: `${random.pick(COMMON)} ${random.pick(COMMON)}` }),
    () => ({ q: random.pick(COMMON), service: random.pick(['stt', 'passports']) }),
    () => ({ q: `${random.pick(COMMON)} -${random.pick(COMMON)}` }),
    () => ({ q: random.pick(COMMON).slice(0, random.whole(3, 5)) }),
    () => ({ q: `wall-${random.whole(0, COUNT)}.jpg` }),
  ])();
}

function misspelt(random) {
  const letters = [...random.pick(COMMON.filter((word) => word.length >= 6))];
  const at = random.whole(1, letters.length - 2);
  random.pick([
    () => letters.splice(at, 1, random.pick([...'аеиоуст'])),
    () => letters.splice(at, 1),
    () => letters.splice(at, 2, letters[at + 1], letters[at]),
  ])();
  return { q: letters.join('') };
}
