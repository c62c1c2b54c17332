import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { mergeProcessMetrics } from './process-metrics.ts';
import { createPostgresWorkerStore, type WorkerStore } from './workers.ts';

let database: TestDatabase;
let workers: WorkerStore;
beforeAll(async () => {
  database = await testDatabase();
  workers = createPostgresWorkerStore(database.db);
});
beforeEach(() => database.db.query('truncate workers, departed_metrics'));
afterAll(() => database.drop());

/** A process with a counter, a histogram and a gauge, which sends heartbeats. */
function startProcess(id: string) {
  const registry = new Registry();
  const registers = [registry];
  const counter = new Counter({ name: 'n_total', help: 'n', labelNames: ['service'], registers });
  const seconds = new Histogram({ name: 'seconds', help: 's', labelNames: ['service'], buckets: [0.1, 1], registers });
  const gauge = new Gauge({ name: 'error', help: 'e', aggregator: 'max', registers });
  return {
    id,
    registry,
    count(amount: number, tookSeconds = 0.3) {
      counter.inc({ service: 'a' }, amount);
      seconds.observe({ service: 'a' }, tookSeconds);
      gauge.set(amount);
    },
    async beat() {
      const metrics = await registry.getMetricsAsJSON();
      await workers.recordHeartbeat({ id, role: 'work', service: 'a', state: 'warm', info: {}, metrics });
    },
  };
}

/** The metrics that a gateway exports, by sample. */
async function mergedMetrics(own = startProcess('gateway')): Promise<Map<string, number>> {
  const metrics = (await own.registry.getMetricsAsJSON()) as never[];
  const merged = AggregatorRegistry.aggregate(
    mergeProcessMetrics(await workers.readMetrics(own.id), { id: own.id, metrics }) as never,
  );
  const lines = (await merged.metrics()).split('\n').filter((line) => /^\w/.test(line));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}
const total = async () => (await mergedMetrics()).get('n_total{service="a"}');
const age = (id: string, seconds: number) =>
  database.db.query('update workers set seen_at = seen_at - make_interval(secs => $2) where id = $1', [id, seconds]);
const folded = async () => (await database.db.query('select from workers where folded_at >= seen_at')).rowCount;

describe('the merged metrics of all processes', () => {
  it('keep the counts of a process that leaves, stops sending heartbeats, is deleted or returns', async () => {
    const [left, killed, other] = [startProcess('left'), startProcess('killed'), startProcess('other')];
    for (const each of [left, killed, other]) each.count(10);
    for (const each of [left, killed, other]) await each.beat();
    expect(await total()).toBe(30);
    await workers.unregister('left');
    expect(await total()).toBe(30);
    await age('killed', 30);
    await other.beat();
    expect([await folded(), await total()]).toEqual([0, 30]);
    await age('killed', 60);
    await other.beat();
    expect([await folded(), await total()]).toEqual([1, 30]);
    killed.count(5);
    await killed.beat();
    expect([await folded(), await total()]).toEqual([0, 35]);
    await age('killed', 90);
    await other.beat();
    await age('killed', 86_400);
    await other.beat();
    expect((await database.db.query('select id from workers')).rows).toEqual([{ id: 'other' }]);
    expect(await total()).toBe(35);
    await workers.unregister('other');
    expect(await total()).toBe(35);
    expect((await mergedMetrics()).get('seconds_count{service="a"}')).toBe(4);
    expect((await mergedMetrics()).get('seconds_bucket{le="0.1",service="a"}')).toBe(0);
  });

  it('count a departed process once when many processes detect it', async () => {
    const gone = startProcess('gone');
    gone.count(7);
    await gone.beat();
    await age('gone', 90);
    const others = Array.from({ length: 20 }, (_, n) => startProcess(`other-${n}`));
    await Promise.all([...others.map((each) => each.beat()), workers.unregister('gone'), gone.beat()]);
    await workers.unregister('gone');
    expect([7, 14]).toContain(await total()); // 14: its heartbeat came after it had left
  });

  it('include the current counts of this process once', async () => {
    const own = startProcess('own');
    own.count(3);
    await own.beat();
    own.count(4);
    expect((await mergedMetrics(own)).get('n_total{service="a"}')).toBe(7);
    await age('own', 90);
    await startProcess('other').beat();
    expect((await mergedMetrics(own)).get('n_total{service="a"}')).toBe(7);
  });

  it('omit the gauges of a process without recent heartbeats', async () => {
    const killed = startProcess('killed');
    killed.count(9);
    await killed.beat();
    expect((await mergedMetrics()).get('error')).toBe(9);
    await age('killed', 10);
    expect((await mergedMetrics()).get('error')).toBe(0);
    await age('killed', 90);
    await startProcess('other').beat();
    expect((await mergedMetrics()).get('error')).toBe(0);
  });

  it('do not decrease by rounding errors when processes leave in any order', async () => {
    const all = Array.from({ length: 12 }, (_, n) => startProcess(`p${n}`));
    for (const [n, each] of all.entries()) for (let i = 0; i < 50; i++) each.count(1, 1 / (3 + n + i));
    for (const each of all) await each.beat();
    const sum = async () => (await mergedMetrics()).get('seconds_sum{service="a"}')!;
    const before = await sum();
    for (const each of all.toSorted(() => Math.random() - 0.5)) {
      await workers.unregister(each.id);
      expect(await sum()).toBe(before);
    }
  });

  it('need as many rows for a thousand departed processes as for one', async () => {
    const rows = async () => (await database.db.query('select from departed_metrics')).rowCount;
    const start = async (n: number) => {
      const process = startProcess(`p${n}`);
      process.count(1);
      await process.beat();
      await workers.unregister(process.id);
    };
    await start(0);
    const before = await rows();
    for (let n = 1; n < 1000; n++) await start(n);
    expect([await rows(), await total()]).toEqual([before, 1000]);
  });
});

describe('a heartbeat', () => {
  it('finds old rows by an index without a sequential scan', async () => {
    const { db } = database;
    await db.query(`insert into workers (id, role, state, info, seen_at)
                    select 'w' || n, 'work', 'warm', '{}', now() from generate_series(1, 20000) n`);
    await db.query(`insert into models (service, version) select 'a', n from generate_series(1, 20000) n`);
    await db.query('vacuum analyze workers, models');
    const scans = async () => {
      await db.query('select pg_stat_force_next_flush()');
      const { rows } = await db.query<{ seq_scan: number }>(
        `select seq_scan from pg_stat_user_tables where relname in ('workers', 'models') order by relname`,
      );
      return rows.map(({ seq_scan }) => seq_scan);
    };
    const one = createPostgresWorkerStore({
      ...db,
      query: (sql, params) => db.transaction((tx) => tx.query(sql, params)),
    });
    const before = await scans();
    for (let i = 0; i < 20; i++) {
      await one.recordHeartbeat({ id: 'w', role: 'work', service: 'a', state: 'warm', info: {}, metrics: [] });
      await one.advertiseVersions('a', [{ version: '1' }]);
    }
    await new Promise((resolve) => setTimeout(resolve, 1500)); // statistics of idle connections arrive 1 s late
    expect(await scans()).toEqual(before);
    await db.query('truncate models');
  });
});
