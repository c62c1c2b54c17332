// `node bench/peers/run.mjs [--runs 3] [--seconds 3] [--only accept,poll,drain,idle,takeover,loss]`: compares Assay,
// BullMQ and pg-boss behind the same HTTP contract on one machine. Requires redis-server, wrk and `npm ci --prefix
// bench/peers`.
import '../help.mjs';
import { availableParallelism, loadavg } from 'node:os';
import { median, option } from '../lib.mjs';
import { checkPrerequisites } from './prerequisites.mjs';

const node = checkPrerequisites();
const { createEnvironment } = await import('./environment.mjs');
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
  console.error(`Unknown row ${unknown.join(', ')}. Available rows: ${ROWS.join(', ')}.`);
  process.exit(2);
}

const startedAt = performance.now();
const environment = createEnvironment(node);
const say = (text) => console.log(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${text}`);
say(`${availableParallelism()} cores, load average ${loadavg()[0].toFixed(1)}, ${node}`);

const contenders = [
  await openAssay(environment),
  await openBullMq(environment, { fsync: 'always' }),
  await openBullMq(environment, { fsync: 'everysec' }),
  await openPgBoss(environment, { notify: false }),
  await openPgBoss(environment, { notify: true }),
];
for (const contender of contenders) await checkContract(contender);
say('all contenders conform to the contract');

const targets = new Map();
for (const contender of contenders) targets.set(contender, { contender, environment, ...(await contender.listen(0)) });
const table = tableOf(contenders.map(({ name }) => name));

for (const [name, row] of Object.entries({ drain, poll, accept })) {
  if (only.includes(name)) await throughput(row);
}
if (only.includes('idle')) await idleRow();
if (only.includes('takeover')) await takeoverRows();
if (only.includes('loss')) await lossRow();

console.log(`\n${table.text()}\n`);
say(`load average ${loadavg()[0].toFixed(1)}`);
process.exit(0); // the environment ends all processes

async function throughput({ title, skipsVariants, warmUp, measure, after }) {
  const selected = [...targets.values()].filter(({ contender }) => !(skipsVariants && contender.isVariant));
  for (const target of selected) target.prepared = await warmUp(target);
  const measured = new Map(selected.map(({ contender }) => [contender, []]));
  for (let run = 1; run <= runs; run++) {
    for (const target of selected) measured.get(target.contender).push(await measure({ ...target, seconds }));
    const last = selected.map(({ contender }) => measured.get(contender).at(-1));
    say(
      `${title}: ${last.map(({ perSecond, microseconds }) => `${perSecond.toFixed(0)} (${microseconds.toFixed(0)} µs)`).join(' · ')}`,
    );
  }
  for (const target of selected) {
    await after?.(target);
    await target.contender.clear();
  }
  const middle = (key) =>
    contenders.map((contender) => {
      const each = measured.get(contender);
      return each && median(each.map((one) => one[key]));
    });
  table.rates(`${title}, per second`, middle('perSecond'));
  table.times(`${title}, CPU time per operation, µs`, middle('microseconds'), '');
}

async function idleRow() {
  const measured = await idle([...targets.values()]);
  table.times('idle: accept to done, median, ms', measured.map(median));
  table.times(
    'idle: accept to done, p95, ms',
    measured.map((durations) => durations[Math.floor(durations.length * 0.95)]),
  );
  say('idle dispatch');
}

/** Runs all in parallel, since most of the time is waiting. The BullMQ figure applies to both fsync modes. */
async function takeoverRows() {
  await Promise.all(contenders.map((contender) => contender.clear()));
  const timeoutMs = 65_000;
  const [assay, always, , polling] = contenders;
  const measure = (contender, queue) =>
    takeover({ contender, queue, timeoutMs }).catch((error) => {
      say(error.message);
      return [Number.NaN];
    });
  const [own, ...others] = await Promise.all([
    measure(assay, 'predict'),
    measure(always, 'predict'),
    measure(polling, 'predict'),
    measure(always, 'tuned'),
    measure(polling, 'tuned'),
  ]);
  const worst = (seconds) => (seconds.includes(undefined) ? undefined : Math.max(...seconds));
  const [bull, boss, bullTuned, bossTuned] = others.map(worst);
  const row = (title, a, b) => table.times(title, [worst(own), a, a, b, b], `> ${timeoutMs / 1000}`);
  row('takeover after `kill -9` of a worker, default settings, worst of 3, s', bull, boss);
  row('takeover, fastest settings, worst of 3, s', bullTuned, bossTuned);
  say(`takeover: ${JSON.stringify([own, ...others])}`);
}

async function lossRow() {
  const sums = contenders.map(() => ({ acknowledged: 0, lost: 0 }));
  for (let run = 1; run <= runs; run++) {
    for (const [i, target] of [...targets.values()].entries()) {
      const { acknowledged, lost } = await loss(target);
      sums[i].acknowledged += acknowledged;
      sums[i].lost += lost;
    }
    say(`loss, run ${run}: ${sums.map(({ acknowledged, lost }) => `${lost} of ${acknowledged}`).join(' · ')}`);
  }
  const cells = sums.map(({ acknowledged, lost }) => `${lost} of ${acknowledged}`);
  table.words(`acknowledged tasks lost, ${runs} × kill -9 of the store`, cells);
}
