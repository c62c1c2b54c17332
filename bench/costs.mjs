// `node bench/costs.mjs [--seconds 4]`: CPU time of gateway and PostgreSQL, WAL bytes and stored bytes per task, poll
// and heartbeat. docs/scaling.md uses these figures.
import './help.mjs';
import { load, openBench, option, TOKEN } from './lib.mjs';

const seconds = option('seconds', 4);
const bench = await openBench();
const { child, message } = await bench.start('serve');
const url = message.listening.defectoscopy;
const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
const body = JSON.stringify({ image_url: 'https://files.assay.internal/01KAF3M9WZ7Y5T2Q8C4N6B1D0E' });
const { createPostgresWorkerStore } = await import(new URL('../dist/tasks/workers.js', import.meta.url));
const workers = createPostgresWorkerStore(bench.db);

const one = async (sql) => (await bench.db.query(sql)).rows[0];
const walNow = async () => Number((await one("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes")).bytes);

async function row(name, run) {
  const before = await walNow();
  const { count, line } = await bench.measured(child, run);
  const wal = (await walNow()) - before;
  console.log(`${name.padEnd(34)} ${line} ${(wal / count).toFixed(0).padStart(10)} ${String(count).padStart(9)}`);
}

const heartbeat = (n) => ({
  ...{ id: `worker-${n}`, role: 'work', service: 'defectoscopy', state: 'warm' },
  info: { models: ['surface-1'], hostname: 'host', pid: n },
  metrics: Array.from({ length: 10 }, (_, i) => ({
    ...{ help: 'What the metric counts.', name: `assay_metric_${i}`, type: 'counter', aggregator: 'sum' },
    values: Array.from({ length: 6 }, (_, v) => ({
      value: n * v,
      labels: { service: 'defectoscopy', outcome: `o${v}` },
    })),
  })),
});

try {
  console.log(`${''.padEnd(34)}      wall µs  gateway µs  database µs  WAL bytes     count`);
  await load({ url: `${url}/predict`, method: 'POST', headers, body }, 1);
  await bench.db.query('checkpoint');
  await row(
    'accept (64 clients)',
    async () => (await load({ url: `${url}/predict`, method: 'POST', headers, body }, seconds)).count,
  );
  await load({ url: `${url}/predict`, method: 'POST', headers, body }, 2 * seconds);
  await row('claim and complete, batches of 8', () => bench.claimAndEnd(1000, 8));
  await row('claim and complete, one at a time', () => bench.claimAndEnd(300, 1));
  await row('claim from an empty queue', async () => {
    const request = { service: 'empty', worker: 'bench', limit: 8, leaseMs: 6000 };
    for (let i = 0; i < 300; i++) await bench.tasks.completeAndClaim([], request);
    return 300;
  });
  const { id } = await one("select id from tasks where status = 'done' limit 1");
  await row('poll (64 clients)', async () => (await load({ url: `${url}/result/${id}`, headers }, seconds)).count);
  for (const count of [100, 2000]) {
    await row(`heartbeat, ${count} workers`, async () => {
      const all = Array.from({ length: count }, (_, n) => heartbeat(n));
      for (let from = 0; from < count; from += 10)
        await Promise.all(all.slice(from, from + 10).map(workers.recordHeartbeat));
      return count;
    });
    await row(`read the registry of ${count} workers`, async () => {
      for (let i = 0; i < 5; i++) await workers.readLiving();
      return 5;
    });
  }
  await bench.db.query('vacuum analyze tasks');
  const size = await one(
    `select count(*) as n, pg_table_size('tasks') / count(*) as row, pg_indexes_size('tasks') / count(*) as indexes,
            (select avg(pg_column_size(w.*))::int from workers w) as beat
       from tasks`,
  );
  console.log(
    `\n${size.n} tasks: ${size.row} bytes of table and ${size.indexes} of indexes each; a heartbeat's row: ${size.beat}`,
  );
  const wal = await one('select wal_records, wal_fpi, wal_bytes from pg_stat_wal');
  console.log(`WAL in total: ${wal.wal_bytes} bytes in ${wal.wal_records} records, ${wal.wal_fpi} whole pages`);
} finally {
  await bench.close();
}
