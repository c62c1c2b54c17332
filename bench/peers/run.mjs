// `node bench/peers/run.mjs [--runs 3] [--seconds 3] [--only accept,poll,drain,idle,takeover,loss]`: Assay beside BullMQ
// and pg-boss, each behind the same HTTP contract, in turn on one machine. Needs redis-server, wrk and
// `npm ci --prefix bench/peers`; says so where they are missing.
import { availableParallelism, loadavg } from 'node:os';
import { median, option } from '../lib.mjs';
import { needed } from './needed.mjs';

const node = needed();
const { openHouse } = await import('./house.mjs');
const { checkContract } = await import('./check.mjs');
const { openAssay } = await import('./contenders/assay.mjs');
const { openBullMq } = await import('./contenders/bullmq.mjs');
const { openPgBoss } = await import('./contenders/pg-boss.mjs');
const { accept, drain, poll } = await import('./rows/throughput.mjs');
const { idle } = await import('./rows/idle.mjs');
const { loss } = await import('./rows/loss.mjs');
const { takeover } = await import('./rows/takeover.mjs');
const { tableOf } = await import('./table.mjs');

const runs = option('runs', 3);
const seconds = option('seconds', 3);
const ROWS = ['accept', 'poll', 'drain', 'idle', 'takeover', 'loss'];
const at = process.argv.indexOf('--only');
const only = at < 0 ? ROWS : (process.argv[at + 1] ?? '').split(',');
const unknown = only.filter((name) => !ROWS.includes(name));
if (unknown.length > 0) {
  console.error(`There is no row ${unknown.join(', ')}; there are ${ROWS.join(', ')}.`);
  process.exit(2);
}

const begun = performance.now();
const house = openHouse(node);
const say = (text) => console.log(`${((performance.now() - begun) / 1000).toFixed(0).padStart(4)} s  ${text}`);
say(`${availableParallelism()} cores, load average ${loadavg()[0].toFixed(1)}, ${node}`);

const contenders = [
  await openAssay(house),
  await openBullMq(house, { fsync: 'always' }),
  await openBullMq(house, { fsync: 'everysec' }),
  await openPgBoss(house, { notify: false }),
  await openPgBoss(house, { notify: true }),
];
for (const contender of contenders) await checkContract(contender);
say('all keep the contract');

const places = new Map();
for (const contender of contenders) places.set(contender, { contender, house, ...(await contender.listen(0)) });
const table = tableOf(contenders.map(({ name }) => name));

for (const [name, row] of Object.entries({ drain, poll, accept })) {
  if (only.includes(name)) await throughput(row);
}
if (only.includes('idle')) await idleRow();
if (only.includes('takeover')) await takeoverRows();
if (only.includes('loss')) await lossRow();

console.log(`\n${table.text()}\n`);
say(`load average ${loadavg()[0].toFixed(1)}`);
process.exit(0); // whatever still runs is ended with the house

/** Prepares all, measures them in turn, `runs` times, and notes the medians. */
async function throughput({ title, skipsTwins, warmUp, measure, after }) {
  const those = [...places.values()].filter(({ contender }) => !(skipsTwins && contender.twin));
  for (const place of those) place.prepared = await warmUp(place);
  const measured = new Map(those.map(({ contender }) => [contender, []]));
  for (let run = 1; run <= runs; run++) {
    for (const place of those) measured.get(place.contender).push(await measure({ ...place, seconds }));
    const last = those.map(({ contender }) => measured.get(contender).at(-1));
    say(
      `${title}: ${last.map(({ perSecond, microseconds }) => `${perSecond.toFixed(0)} (${microseconds.toFixed(0)} µs)`).join(' · ')}`,
    );
  }
  for (const place of those) {
    await after?.(place);
    await place.contender.clear();
  }
  const middle = (key) =>
    contenders.map((contender) => {
      const each = measured.get(contender);
      return each && median(each.map((one) => one[key]));
    });
  table.rates(`${title}, a second`, middle('perSecond'));
  table.times(`${title}, processor time of one, µs`, middle('microseconds'), '');
}

async function idleRow() {
  const measured = await idle([...places.values()]);
  table.times('idle: accept to done, median, ms', measured.map(median));
  table.times(
    'idle: accept to done, p95, ms',
    measured.map((took) => took[Math.floor(took.length * 0.95)]),
  );
  say('idle dispatch');
}

/** All at once: nearly all of it is waiting. BullMQ finds a dead worker alike with either file. */
async function takeoverRows() {
  await Promise.all(contenders.map((contender) => contender.clear()));
  const patienceMs = 65_000;
  const [assay, always, , polling] = contenders;
  const of = (contender, queue) =>
    takeover({ contender, queue, patienceMs }).catch((error) => {
      say(error.message);
      return [Number.NaN];
    });
  const [own, ...others] = await Promise.all([
    of(assay, 'predict'),
    of(always, 'predict'),
    of(polling, 'predict'),
    of(always, 'tuned'),
    of(polling, 'tuned'),
  ]);
  const worst = (took) => (took.includes(undefined) ? undefined : Math.max(...took));
  const [bull, boss, bullTuned, bossTuned] = others.map(worst);
  const row = (title, a, b) => table.times(title, [worst(own), a, a, b, b], `> ${patienceMs / 1000}`);
  row('takeover after `kill -9` of a worker, as it comes, worst of 3, s', bull, boss);
  row('takeover, tuned to be as quick as it may, worst of 3, s', bullTuned, bossTuned);
  say(`takeover: ${JSON.stringify([own, ...others])}`);
}

async function lossRow() {
  const sums = contenders.map(() => ({ acknowledged: 0, lost: 0 }));
  for (let run = 1; run <= runs; run++) {
    for (const [i, place] of [...places.values()].entries()) {
      const { acknowledged, lost } = await loss(place);
      sums[i].acknowledged += acknowledged;
      sums[i].lost += lost;
    }
    say(`loss, run ${run}: ${sums.map(({ acknowledged, lost }) => `${lost} of ${acknowledged}`).join(' · ')}`);
  }
  const cells = sums.map(({ acknowledged, lost }) => `${lost} of ${acknowledged}`);
  table.words(`lost of those acknowledged, ${runs} × kill -9 of the store`, cells);
}
