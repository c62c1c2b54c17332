import { afterEach, expect, it, vi } from 'vitest';
import { cleanUp } from '../support/processes/assay.ts';
import { openAudit } from '../support/processes/audit.ts';
import { type Client, predict, uploadPicture, waitForTask } from '../support/processes/client.ts';
import {
  createSharedFolder,
  faketimePath,
  type Hosts,
  type Machine,
  startHosts,
  startMachine,
} from '../support/processes/hosts.ts';
import { cleanUpServers, startPostgres } from '../support/processes/postgres.ts';
import { startStandby, startTcpProxy } from '../support/processes/standby.ts';
import { waitUntil } from '../support/processes/until.ts';

// The PostgreSQL binaries: HOSTS_POSTGRES=/usr/lib/postgresql/15/bin
const BIN = process.env['HOSTS_POSTGRES'];

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });
let hosts: Hosts | undefined;
afterEach(async () => {
  await cleanUp();
  await cleanUpServers();
  await hosts?.remove();
  hosts = undefined;
});

it('Two hosts with wrong clocks share the work, survive the loss of one host, and continue after a failover to a standby', async (context) => {
  hosts = await startHosts(['db', 'db2', 'a', 'b'], context);
  const [db, db2, hostA, hostB] = hosts.all as [Hosts['all'][0], Hosts['all'][0], Hosts['all'][0], Hosts['all'][0]];
  const bin = BIN === undefined ? {} : { bin: BIN };
  const primary = await startPostgres({ ...bin, host: db.address, inside: db.inside });
  // A stable address for the current primary.
  const relay = await startTcpProxy(primary, { host: hosts.address });
  const env = {
    DATABASE_URL: relay.proxiedUrl(primary.url),
    DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '100000',
    LOG_LEVEL: 'warn',
  };
  const [early, late] = faketimePath() ? [{ clock: '+1h' }, { clock: '-1h' }] : [{}, {}];
  const step = createStepLog();

  const disk = await createSharedFolder();
  const [a, b] = await Promise.all([
    startMachine(hostA, { env, disk, ...early }),
    startMachine(hostB, { env, disk, ...late }),
  ]);
  await Promise.all([a, b].map(({ assay }) => assay.waitForOutput(/is ready/)));
  await waitUntil(async () => (await a.call('/ready')).body.data.workers_online === 2);
  const audit = await openAudit(env.DATABASE_URL);
  await waitUntil(async () => /assay_rate_limit_gateways 2/.test((await a.call('/metrics')).body));
  step('two hosts are ready');

  const picture = await uploadPicture(a, 1);
  const ids = [...(await predictMany(a, picture, 30)), ...(await predictMany(b, picture, 30))];
  for (const [at, id] of ids.entries()) {
    const data = await waitForTask(at % 2 ? a : b, id);
    expect(data).toMatchObject({ status: 'done' });
    // Timestamps follow the database clock.
    expect(Math.abs(Number(data['completed_at']) - Date.now() / 1000)).toBeLessThan(60);
  }
  const workersOf = async () => new Set((await audit.events(ids)).map(({ worker }) => worker));
  const workers = [
    await audit.workerOf(await a.assay.child('work')),
    await audit.workerOf(await b.assay.child('work')),
  ];
  let seen = await workersOf();
  for (let i = 0; !workers.every((worker) => worker && seen.has(worker)); i++) {
    if (i === 20) throw new Error('One of the two workers received no tasks.');
    ids.push(...(await predictMany(i % 2 ? a : b, picture, 20)));
    for (const id of ids.slice(-20)) await waitForTask(a, id);
    seen = await workersOf();
  }
  step('both have worked');

  // Disconnect one host while it holds tasks.
  const pid = await b.assay.child('work');
  let claimed: string[] = [];
  while (claimed.length === 0) {
    ids.push(...(await predictMany(a, picture, 20)));
    claimed = await audit.heldBy(pid);
  }
  await hostB.unplug();
  ids.push(...claimed.filter((id) => !ids.includes(id)));
  const cut = performance.now();
  for (const id of ids) expect(await waitForTask(a, id)).toMatchObject({ status: 'done' });
  step(
    `${claimed.length} tasks of the lost host were completed by the other one ${seconds(performance.now() - cut)} after the cut`,
  );
  await hostB.plug();
  await waitUntil(async () => (await ready(b)) && (await a.call('/ready')).body.data.workers_online === 2, 60_000);
  ids.push(...(await predictMany(b, picture, 10)));
  for (const id of ids.slice(-10)) expect(await waitForTask(b, id)).toMatchObject({ status: 'done' });
  step('the lost host is back and works');

  // Lose the primary's host, including its disk, under load.
  const standby = await startStandby(primary.url, { ...bin, host: db2.address, inside: db2.inside, synchronous: true });
  step('a standby follows');
  let over = false;
  const acknowledged: string[] = [];
  const client = async (machine: Machine) => {
    while (!over) {
      const answer = await predict(machine, picture).catch(() => undefined);
      if (answer?.status === 202) acknowledged.push(answer.body.data.task_id);
      else expect(answer?.status ?? 503).toBe(503);
    }
  };
  const clients = [client(a), client(b)];
  await waitUntil(() => acknowledged.length > 50);
  await db.unplug();
  await relay.cut();
  await primary.kill();
  const lost = performance.now();
  await standby.promote();
  relay.setTarget(standby);
  await relay.restore();
  await waitUntil(async () => (await ready(a)) && (await ready(b)), 60_000);
  const before = acknowledged.length;
  await waitUntil(() => acknowledged.length > before + 20);
  over = true;
  await Promise.all(clients);
  step(`both hosts continue ${seconds(performance.now() - lost)} after the primary was lost`);
  for (const id of acknowledged) expect(await waitForTask(a, id)).toMatchObject({ status: 'done' });
  const all = [...ids, ...acknowledged];
  expect([...(await audit.endCounts(all))].filter(([, ends]) => ends !== 1)).toEqual([]);
  step(`${all.length} tasks, each ended once`);
  await audit.close();
  await relay.close();
});

const ready = ({ call }: Client) =>
  call('/ready', { timeoutMs: 2000 }).then(
    ({ status }) => status === 200,
    () => false,
  );

const predictMany = async (client: Client, picture: string, count: number): Promise<string[]> => {
  const answers = await Promise.all(Array.from({ length: count }, () => predict(client, picture)));
  return answers.map(({ body }) => body.data.task_id);
};

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

function createStepLog(): (what: string) => void {
  let since = performance.now();
  return (what) => {
    console.log(`${seconds(performance.now() - since)}: ${what}`);
    since = performance.now();
  };
}
