import { afterEach, expect, it, vi } from 'vitest';
import { type Received, startReceiver } from './helpers/receiver.ts';
import { cleanUp } from './processes/assay.ts';
import { random, type Struck, strokesOf, unleash } from './processes/chaos.ts';
import { disksWork, removeDisks } from './processes/chaos-disk.ts';
import { type Ground, startGround } from './processes/chaos-ground.ts';
import { feelPulse } from './processes/chaos-pulse.ts';
import type { Fault, StrokeName } from './processes/chaos-strokes.ts';
import { type Evidence, faultsOf, gather, strayFiles } from './processes/chaos-verdict.ts';
import { cleanUpServers } from './processes/postgres.ts';

// A longer run: node scripts/chaos.mjs --seed 7 --tasks 20000 --minutes 10
const SEED = Number(process.env['CHAOS_SEED'] ?? 1);
const TASKS = Number(process.env['CHAOS_TASKS'] ?? 300);
const DURATION_MS = Number(process.env['CHAOS_MINUTES'] ?? 0) * 60_000;
const ASKED = process.env['CHAOS_FAULTS']?.split(',') as Fault[] | undefined;

/** Faults of the default run in this order; process faults overlap with the others. */
const SHORT: readonly StrokeName[] = [
  'kill deliverer',
  'pause worker',
  'kill supervisor',
  'partition worker',
  'restart database',
  'failover database',
  'kill database',
];

const ENV = {
  DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0',
  WEBHOOK_TIMEOUT_SECONDS: '1',
  WEBHOOK_RETRY_SCHEDULE: '0,0.1,0.5,1,1,2,2,5,5,5,10,10',
  LOG_LEVEL: 'warn',
};

vi.setConfig({ testTimeout: DURATION_MS * 2 + 420_000 });
afterEach(async () => {
  // First, because a folder with a mounted disk cannot be removed.
  await removeDisks();
  await cleanUp();
  await cleanUpServers();
});

it('Assay completes every acknowledged task once despite process, database, disk and network faults', async () => {
  const strokes = ASKED ? strokesOf(ASKED) : SHORT;
  const wantsDisks = strokes.some((name) => name.includes('disk'));
  const onDisks = wantsDisks && (await disksWork());
  if (wantsDisks && !onDisks) console.warn('Test disks are unavailable here: disk faults are skipped.');
  const dice = random(SEED + 100);
  const receiver = await startReceiver(() => (dice() < 0.2 ? 500 : 204));
  const ground = await startGround({ env: ENV, onDisks, modelMs: 50 });
  const pulse = process.env['CHAOS_TELL'] && feelPulse(ground.audit, tell);
  try {
    const { struck, traffic } = await unleash(ground, receiver, {
      ...{ seed: SEED, tasks: TASKS, durationMs: DURATION_MS, strokes, order: ASKED ? 'shuffled' : 'given' },
      ...(process.env['CHAOS_TELL'] && { tell }),
      perSecond: DURATION_MS > 0 ? (TASKS * 1000) / DURATION_MS : 15,
    });
    const needs = { traffic, audit: ground.audit, gateway: ground.now('gateway'), received: receiver.received };
    const evidence = await gather({ ...needs, patienceMs: 180_000 });
    report(struck, evidence, ground);
    expect(faultsOf(evidence)).toEqual([]);
    const stray = await strayFiles(ground.audit, ground.dataDir);
    console.log(`${stray.nameless.length} files without a row remain from interrupted uploads.`);
    expect(stray.missing).toEqual([]);
    expect(ground.deaths()).toEqual([]);
    expect(evidence.firstSeen.size).toBeGreaterThan(10);

    const planted = await plantFaults(ground, evidence, receiver.received);
    expect(faultsOf(await gather({ ...needs, patienceMs: 0 })).sort()).toEqual(planted.sort());
    if (pulse) pulse.stop();
    expect(await ground.stop()).toEqual([]);
  } catch (error) {
    console.log(ground.lastWords());
    throw error;
  } finally {
    if (pulse) pulse.stop();
    await receiver.close();
  }
});

/** Injects violations of the invariants; returns the expected findings. */
async function plantFaults({ audit }: Ground, evidence: Evidence, received: Received[]): Promise<string[]> {
  const { acknowledged, polled, firstSeen, counts } = evidence;
  const silent = [...acknowledged.values()].filter(({ webhook }) => !webhook).map(({ id }) => id);
  const changed = silent.find((id) => firstSeen.has(id))!;
  const [lost, held] = silent.filter((id) => id !== changed);
  const [first] = received;
  const told = String(first!.headers['x-service-task-id']);
  const before = JSON.stringify(polled.get(changed));
  const { rows } = await audit.db.query<{ delivery: string }>(PLANT, [lost, changed, held]);
  received.push({ ...first!, headers: { ...first!.headers, 'x-service-delivery-id': 'another' } });
  return [
    `${lost}: lost`,
    `${counts.tasks - 1} tasks are stored and ${acknowledged.size} were acknowledged`,
    `${changed}: ended 2 times`,
    `${changed}: said ${before}, then ${before.replace('brick_wall', 'plaster')}`,
    `${held}: ended 2 times`,
    '1 tasks are still held',
    `${told}: 2 delivery ids, 1 bodies`,
    ...(rows[0] ? ['1 deliveries were not made', '1 deliveries are still held'] : []),
  ];
}

const PLANT = `
  with lost as (delete from tasks where id = $1),
       changed as (update tasks set result = replace(result::text, 'brick_wall', 'plaster')::json where id = $2),
       held as (update tasks set worker = 'nobody', leased_until = now() + interval '1 hour' where id = $3)
  update deliveries set state = 'pending', due_at = now() + interval '1 hour', leased_until = now() + interval '1 hour'
   where id = (select min(id) from deliveries)
  returning id as delivery
`;

function report(struck: readonly Struck[], { answers, counts, received, ends }: Evidence, ground: Ground): void {
  const rows = [...new Set(struck.map(({ stroke }) => stroke))].sort().map((stroke) => {
    const these = struck.filter((each) => each.stroke === stroke);
    const recoveries = these.map(({ recoveryMs }) => recoveryMs).sort((a, b) => a - b);
    const lasted = these.reduce((sum, { lastedMs }) => sum + lastedMs, 0) / these.length;
    const median = recoveries[Math.floor(recoveries.length / 2)]!;
    const row = { times: these.length, 'mean duration': seconds(lasted), 'median recovery': seconds(median) };
    return [stroke, { ...row, longest: seconds(recoveries.at(-1)!) }] as const;
  });
  console.table(Object.fromEntries(rows));
  console.table(Object.fromEntries([...answers].sort()));
  const again = `--seed ${SEED} --tasks ${TASKS} --minutes ${DURATION_MS / 60_000} --faults ${(ASKED ?? ['…']).join()}`;
  console.log(
    `${counts.tasks} tasks are stored, ${ends.size} were acknowledged, ${received.length} webhook requests arrived, ` +
      `${ground.deaths().length} processes exited unexpectedly. Repeat with: node scripts/chaos.mjs ${again}`,
  );
}

const tell = (what: string) =>
  process.stdout.write(`${(performance.now() / 1000).toFixed(1).padStart(7)} s  ${what}\n`);
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
