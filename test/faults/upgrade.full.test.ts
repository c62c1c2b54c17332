import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Db } from '../../src/base/db.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import {
  type Assay,
  cleanUp,
  createInstancePlace,
  freePort,
  type InstancePlace,
  startAssay,
} from '../support/processes/assay.ts';
import { predict, uploadPicture, waitForTask } from '../support/processes/client.ts';
import { waitUntil } from '../support/processes/until.ts';
import { createLaterVersion } from '../support/processes/versions.ts';

vi.setConfig({ testTimeout: 300_000 });

let database: TestDatabase;
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(async () => {
  await Promise.all(openTransactions.map((each) => each.end()));
  await cleanUp();
  await database.drop();
});

const QUICK_MODEL = fileURLToPath(new URL('../support/processes/chaos-model.mjs', import.meta.url));
const CLIENTS = 4;
const PAUSE_MS = 20;

/** The gateway returns 503 when accepting a task takes longer. */
const ACCEPT_LIMIT_MS = 5_000;

describe('An upgrade under load', () => {
  it('accepts every task on gateways of both versions during an open snapshot and a long lock, and completes all of them', async () => {
    const later = await createLaterVersion({
      '9001_upgrade_probe.sql': '-- additive\nalter table tasks add column upgrade_probe text;\n',
      '9002_upgrade_probe_index.sql':
        '-- additive\n-- no transaction\ncreate index concurrently tasks_upgrade_probe on tasks (upgrade_probe) where upgrade_probe is not null;\n',
    });
    onTestFinished(() => later.remove());
    const place = await createInstancePlace();
    const env = {
      DATABASE_URL: database.url,
      FILES_HOST: 'files.test.internal',
      DEFECTOSCOPY_RATE_LIMIT_PER_MINUTE: '0',
      SHUTDOWN_DELAY_SECONDS: '2',
      NODE_OPTIONS: `--import=${QUICK_MODEL}`,
    };
    const start = (at: InstancePlace, args: string[], from?: string) =>
      startAssay(at, { args, env, ...(from && { from }) });
    const elsewhere = { ...place, port: await freePort() };

    let old = start(place, ['serve']);
    start(place, ['work', '--service', 'defectoscopy']);
    start(place, ['sweep']);
    await waitUntil(() => isReady(old));
    const image = await uploadPicture(old, 1);
    const next = start(elsewhere, ['serve'], later.from);
    const gateways = () => [old, next];
    const load = startLoad(gateways, image);
    await waitUntil(async () => (await readiness(next)) === 503);

    // An open transaction that has read tasks blocks altering the table.
    const report = await openTransaction(database.db, 'select from tasks limit 1');
    // The concurrent index build waits for the snapshot of another transaction.
    const otherReport = await openTransaction(database.db, 'select from models limit 1');
    const migrating = start(place, ['migrate'], later.from);
    await delay(8_000);
    const behindSnapshot = load.take();
    await report.end();
    await waitUntil(() => hasColumn(database.db));
    await delay(4_000);
    expect(await hasIndex(database.db)).toBe(false);
    const duringIndexBuild = load.take();
    await otherReport.end();
    expect(await migrating.ended, migrating.output.err).toMatchObject({ code: 0 });
    await waitUntil(() => isReady(next), 15_000);

    await delay(1_000);
    expect(await readiness(old)).toBe(200);
    const earlier = start(place, ['migrate']);
    expect(await earlier.ended, earlier.output.err).toMatchObject({ code: 0 });
    old.kill('SIGTERM');
    expect(await old.ended).toMatchObject({ code: 0 });
    old = start(place, ['serve']);
    await waitUntil(() => isReady(old));
    await delay(1_000);
    const restarted = load.take();
    await load.stop();
    expect(await hasIndex(database.db)).toBe(true);

    const phases = { behindSnapshot, duringIndexBuild, restarted };
    for (const [phase, { statuses, longestMs }] of Object.entries(phases)) {
      expect(Object.keys(statuses), `${phase}: ${JSON.stringify(phases)}`).toEqual(['202']);
      expect(longestMs, `${phase}: ${JSON.stringify(phases)}`).toBeLessThan(ACCEPT_LIMIT_MS);
    }
    expect(load.through(old.url) && load.through(next.url)).toBe(true);
    for (const id of load.accepted) expect((await waitForTask(next, id))['status']).toBe('done');
    expect(load.accepted.length).toBeGreaterThan(100);
  });
});

interface LoadCounts {
  readonly statuses: Record<string, number>;
  readonly longestMs: number;
}

/** Clients behind a load balancer: they use the ready gateways in turn and poll their tasks. */
function startLoad(gateways: () => Assay[], image: string) {
  const over = new AbortController();
  const accepted: string[] = [];
  const used = new Set<string>();
  let statuses: Record<string, number> = {};
  let longestMs = 0;
  let ready: Assay[] = [];
  const count = (status: string | number) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  };

  const findReady = async () => {
    const seen = await Promise.all(gateways().map(async (each) => ((await isReady(each)) ? [each] : [])));
    ready = seen.flat();
  };
  const balance = async () => {
    while (!over.signal.aborted) {
      await delay(200);
      await findReady();
    }
  };
  const client = async (number: number) => {
    for (let turn = number; !over.signal.aborted; turn++) {
      const gateway = ready[turn % ready.length];
      if (gateway) {
        const since = performance.now();
        const answer = await predict(gateway, image).catch(() => undefined);
        longestMs = Math.max(longestMs, Math.round(performance.now() - since));
        count(answer?.status ?? 'no answer');
        if (answer?.status === 202) {
          const id = answer.body.data.task_id;
          accepted.push(id);
          used.add(gateway.url);
          const poll = await gateway.call(`/result/${id}`).catch(() => undefined);
          if (poll?.status !== 200 && poll?.status !== 202) count(`poll: ${poll?.status ?? 'no answer'}`);
        }
      } else count('no gateway is ready');
      await delay(PAUSE_MS);
    }
  };
  const running = findReady().then(() =>
    Promise.all([balance(), ...Array.from({ length: CLIENTS }, (_, number) => client(number))]),
  );
  return {
    accepted,
    through: (url: string) => used.has(url),
    take(): LoadCounts {
      const taken = { statuses, longestMs };
      statuses = {};
      longestMs = 0;
      return taken;
    },
    async stop() {
      over.abort();
      await running;
    },
  };
}

const readiness = async ({ call }: Assay) =>
  call('/ready', { timeoutMs: 5_000 }).then(
    ({ status }) => status,
    () => 0,
  );

const isReady = async (gateway: Assay) => (await readiness(gateway)) === 200;

async function hasColumn(db: Db): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from pg_attribute where attrelid = 'tasks'::regclass and attname = 'upgrade_probe'`,
  );
  return rowCount > 0;
}

async function hasIndex(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ valid: boolean }>(
    `select indisvalid as valid from pg_index where indexrelid = to_regclass('tasks_upgrade_probe')`,
  );
  return rows[0]?.valid === true;
}

const openTransactions: { end(): Promise<void> }[] = [];

async function openTransaction(db: Db, statement: string): Promise<{ end(): Promise<void> }> {
  let finish = () => {};
  const ended = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let over: Promise<void> = Promise.resolve();
  await new Promise<void>((opened, failed) => {
    over = db.transaction(
      async (tx) => {
        await tx.query('set transaction isolation level repeatable read');
        await tx.query(statement);
        opened();
        await ended;
      },
      { statementTimeoutMs: 600_000 },
    );
    over.catch(failed);
  });
  const opened = {
    async end() {
      finish();
      await over;
    },
  };
  openTransactions.push(opened);
  return opened;
}
