import { afterEach, expect, it, vi } from 'vitest';
import { createRandom } from '../../src/base/random.ts';
import { cleanUp } from '../support/processes/assay.ts';
import { type InjectedFault, runChaos, scenariosOf } from '../support/processes/chaos.ts';
import {
  collectEvidence,
  type Evidence,
  findStrayFiles,
  findViolations,
} from '../support/processes/chaos-assertions.ts';
import { type ChaosCluster, startChaosCluster } from '../support/processes/chaos-cluster.ts';
import { canMountDisks, removeDisks } from '../support/processes/chaos-disk.ts';
import type { Fault, ScenarioName } from '../support/processes/chaos-faults.ts';
import { startProgressReports } from '../support/processes/chaos-progress.ts';
import { cleanUpServers } from '../support/processes/postgres.ts';
import { type Received, startReceiver } from '../support/receiver.ts';

// A longer run: node scripts/chaos.mjs --seed 7 --tasks 20000 --minutes 10
const SEED = Number(process.env['CHAOS_SEED'] ?? 1);
const TASKS = Number(process.env['CHAOS_TASKS'] ?? 300);
const DURATION_MS = Number(process.env['CHAOS_MINUTES'] ?? 0) * 60_000;
const REQUESTED_FAULTS = process.env['CHAOS_FAULTS']?.split(',') as Fault[] | undefined;

/** Faults of the default run in this order; process faults overlap with the others. */
const DEFAULT_STROKES: readonly ScenarioName[] = [
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
  const strokes = REQUESTED_FAULTS ? scenariosOf(REQUESTED_FAULTS) : DEFAULT_STROKES;
  const wantsDisks = strokes.some((name) => name.includes('disk'));
  const onDisks = wantsDisks && (await canMountDisks());
  if (wantsDisks && !onDisks) console.warn('Test disks are unavailable here: disk faults are skipped.');
  const dice = createRandom(SEED + 100);
  const receiver = await startReceiver(() => (dice() < 0.2 ? 500 : 204));
  const ground = await startChaosCluster({ env: ENV, onDisks, modelMs: 50 });
  const pulse = process.env['CHAOS_TELL'] && startProgressReports(ground.audit, logEvent);
  try {
    const { injected, traffic } = await runChaos(ground, receiver, {
      ...{
        seed: SEED,
        tasks: TASKS,
        durationMs: DURATION_MS,
        scenarios: strokes,
        order: REQUESTED_FAULTS ? 'shuffled' : 'given',
      },
      ...(process.env['CHAOS_TELL'] && { log: logEvent }),
      perSecond: DURATION_MS > 0 ? (TASKS * 1000) / DURATION_MS : 15,
    });
    const inputs = {
      traffic,
      audit: ground.audit,
      gateway: ground.currentProcess('gateway'),
      received: receiver.received,
    };
    const evidence = await collectEvidence({ ...inputs, timeoutMs: 180_000 });
    report(injected, evidence, ground);
    expect(findViolations(evidence)).toEqual([]);
    const stray = await findStrayFiles(ground.audit, ground.dataDir);
    console.log(`${stray.nameless.length} files without a row remain from interrupted uploads.`);
    expect(stray.missing).toEqual([]);
    expect(ground.unexpectedExits()).toEqual([]);
    expect(evidence.firstSeen.size).toBeGreaterThan(10);

    const planted = await injectViolations(ground, evidence, receiver.received);
    expect(findViolations(await collectEvidence({ ...inputs, timeoutMs: 0 })).sort()).toEqual(planted.sort());
    if (pulse) pulse.stop();
    expect(await ground.stop()).toEqual([]);
  } catch (error) {
    console.log(ground.outputTails());
    throw error;
  } finally {
    if (pulse) pulse.stop();
    await receiver.close();
  }
});

/** Injects violations of the invariants; returns the expected findings. */
async function injectViolations({ audit }: ChaosCluster, evidence: Evidence, received: Received[]): Promise<string[]> {
  const { acknowledged, polled, firstSeen, counts } = evidence;
  const sent = [...acknowledged.values()];
  const withoutWebhook = sent.filter(({ webhook, hasKey }) => hasKey && !webhook).map(({ id }) => id);
  const changed = withoutWebhook.find((id) => firstSeen.has(id))!;
  const [lost, held] = withoutWebhook.filter((id) => id !== changed);
  const [first] = received;
  const deliveredTaskId = String(first!.headers['x-service-task-id']);
  const before = JSON.stringify(polled.get(changed));
  const { rows } = await audit.db.query<{ delivery: string }>(INJECT_VIOLATIONS, [lost, changed, held]);
  received.push({ ...first!, headers: { ...first!.headers, 'x-service-delivery-id': 'another' } });
  return [
    `${lost}: lost`,
    `${counts.tasks - counts.keyless - 1} tasks with a key are stored and ${sent.filter(({ hasKey }) => hasKey).length} were acknowledged`,
    `${changed}: ended 2 times`,
    `${changed}: said ${before}, then ${before.replace('brick_wall', 'plaster')}`,
    `${held}: ended 2 times`,
    '1 tasks are still held',
    `${deliveredTaskId}: 2 delivery ids, 1 bodies`,
    ...(rows[0] ? ['1 deliveries were not made', '1 deliveries are still held'] : []),
  ];
}

const INJECT_VIOLATIONS = `
  with lost as (delete from tasks where id = $1),
       changed as (update tasks set result = replace(result::text, 'brick_wall', 'plaster')::json where id = $2),
       held as (update tasks set worker = 'nobody', leased_until = now() + interval '1 hour' where id = $3)
  update deliveries set state = 'pending', due_at = now() + interval '1 hour', leased_until = now() + interval '1 hour'
   where id = (select min(id) from deliveries)
  returning id as delivery
`;

function report(
  struck: readonly InjectedFault[],
  { answers, counts, received, ends }: Evidence,
  ground: ChaosCluster,
): void {
  const rows = [...new Set(struck.map(({ scenario }) => scenario))].sort().map((stroke) => {
    const these = struck.filter((each) => each.scenario === stroke);
    const recoveries = these.map(({ recoveryMs }) => recoveryMs).sort((a, b) => a - b);
    const lasted = these.reduce((sum, { lastedMs }) => sum + lastedMs, 0) / these.length;
    const median = recoveries[Math.floor(recoveries.length / 2)]!;
    const row = { times: these.length, 'mean duration': seconds(lasted), 'median recovery': seconds(median) };
    return [stroke, { ...row, longest: seconds(recoveries.at(-1)!) }] as const;
  });
  console.table(Object.fromEntries(rows));
  console.table(Object.fromEntries([...answers].sort()));
  const again = `--seed ${SEED} --tasks ${TASKS} --minutes ${DURATION_MS / 60_000} --faults ${(REQUESTED_FAULTS ?? ['…']).join()}`;
  console.log(
    `${counts.tasks} tasks are stored, ${ends.size} were acknowledged, ${received.length} webhook requests arrived, ` +
      `${ground.unexpectedExits().length} processes exited unexpectedly. Repeat with: node scripts/chaos.mjs ${again}`,
  );
}

const logEvent = (what: string) =>
  process.stdout.write(`${(performance.now() / 1000).toFixed(1).padStart(7)} s  ${what}\n`);
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
