// `node bench/table-size.mjs [--most 5000000] [--passed 500000]`: cost of accept, poll, claim with completion, and
// cleanup at 10 000, 500 000 and 5 000 000 stored tasks, 95 % of them finished. `--passed` also measures with a
// snapshot open since before that many tasks were processed.
import './help.mjs';
import { CLIENTS, load, openBench, option, RESULT, TOKEN } from './lib.mjs';

const maxTasks = option('most', 5_000_000);
const sizes = [...new Set([10_000, 500_000, 5_000_000].filter((size) => size < maxTasks).concat(maxTasks))];
const seconds = option('seconds', 4);
const bench = await openBench();
const { child, message } = await bench.start('serve');
const url = message.listening.defectoscopy;
const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
const body = JSON.stringify({ image_url: 'https://files.assay.internal/01KAF3M9WZ7Y5T2Q8C4N6B1D0E' });

/** Sequential ids, like the product's time-ordered ids. */
const ID = "'01' || to_char($1::bigint + n, 'FM000000000000000000000000')";
const idOf = (n) => `01${String(n).padStart(24, '0')}`;

/** Queued tasks belong to another service, so that claims find only newly accepted ones. */
const FILL = `
  insert into tasks (id, service, principal, status, priority, input, estimate_seconds, request_id, queued_at, run_at,
                     deadline_at, expires_at, started_at, finished_at, processing_ms, attempts, result, error_code, error)
  select ${ID}, case when waits then 'elsewhere' else 'defectoscopy' end, 'bench',
         case when waits then 'queued' when fails then 'failed' else 'done' end, 1,
         '{"image_url":"https://files.assay.internal/01KAF3M9WZ7Y5T2Q8C4N6B1D0E"}', 90, 'bench-' || n,
         now(), now(), now() + interval '1 day', now() + interval '2 days',
         case when not waits then now() end, case when not waits then now() end, 40, 1,
         case when not waits and not fails then $3::json end,
         case when fails then 'FETCH_FAILED' end, case when fails then 'The image could not be fetched.' end
    from (select n, n % 20 = 0 as waits, n % 20 = 1 as fails from generate_series(1, $2::bigint) as n) as made`;

/** Tasks that were accepted, claimed and completed 30 to 60 minutes ago. */
const PASS = [
  `insert into tasks (id, service, principal, input, estimate_seconds, queued_at, run_at, deadline_at, expires_at)
   select '00' || to_char(n, 'FM000000000000000000000000'), 'defectoscopy', 'bench', '{}', 90, at, at,
          at + interval '20 minutes', now() + interval '1 day'
     from generate_series(1, $1::bigint) n,
          lateral (select now() - interval '1 hour' + n * interval '30 minutes' / $1) as t (at)`,
  `update tasks set status = 'processing', worker = 'gone', attempts = 1, started_at = run_at,
                    leased_until = run_at + interval '6 seconds'
    where id < '01'`,
  `update tasks set status = 'done', worker = null, leased_until = null, result = '{}', finished_at = now(),
                    processing_ms = 40
    where id < '01'`,
];

async function withSnapshot(run) {
  await slowDb.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read');
    await tx.query('set local idle_in_transaction_session_timeout = 0');
    await tx.query('select from tasks limit 1');
    await run();
  });
}

let stored = 0;
const slowDb = bench.slowDb();
async function fill(size) {
  for (; stored < size; stored += Math.min(100_000, size - stored)) {
    const some = [0, 1].map((half) => {
      const count = Math.ceil(Math.min(100_000, size - stored) / 2);
      return slowDb.query(FILL, [stored + half * count, count, JSON.stringify(RESULT)]);
    });
    await Promise.all(some);
  }
  // Otherwise autovacuum would run during a measurement.
  await slowDb.query('vacuum analyze tasks');
}

const randomFinishedId = (latest = stored) =>
  idOf(stored - latest + Math.floor((Math.random() * latest) / 20) * 20 + 2);

const sweepOptions = { services: ['defectoscopy', 'elsewhere'], maxAttempts: 3, batchMaxWaitSeconds: 3600, rows: 1000 };

async function expire() {
  const ids = Array.from({ length: 400 }, () => idOf(Math.floor(Math.random() * (stored / 20)) * 20 + 1));
  await bench.db.query('update tasks set expires_at = now() where id = any($1::text[])', [ids]);
  return async () => (await bench.tasks.sweep(sweepOptions)).removed;
}

async function repeated(count, run) {
  for (let i = 0; i < count; i++) await run();
  return count;
}

let lastId = 0;
const newTask = () => ({
  ...{
    id: `02${String(++lastId).padStart(24, '0')}`,
    service: 'defectoscopy',
    principal: 'bench',
    priority: 'realtime',
  },
  ...{ input: {}, estimateSeconds: 90, deadlineSeconds: 3600, ttlSeconds: 86_400 },
});

/** Measures and prints one operation; `run` returns the number of operations. */
async function row(name, run) {
  const { perOperation, line } = await bench.measured(child, run);
  console.log(`  ${name.padEnd(24)} ${line}`);
  return perOperation;
}

try {
  const first = {};
  for (const size of sizes) {
    const startedAt = performance.now();
    await fill(size);
    console.log(`\n${stored} stored tasks (written in ${((performance.now() - startedAt) / 1000).toFixed(0)} s)`);
    console.log(`  ${''.padEnd(24)}     wall µs   gateway CPU µs   PostgreSQL CPU µs`);
    const accept = { url: `${url}/predict`, method: 'POST', headers, body };
    const poll = {
      url,
      headers,
      pathsOf: () => Array.from({ length: 500 }, () => `/result/${randomFinishedId()}`),
    };
    const pollLatest = {
      ...poll,
      pathsOf: () => Array.from({ length: 500 }, () => `/result/${randomFinishedId(10_000)}`),
    };
    // Warm-up: JIT, prepared statements, index pages.
    await load(poll, 3);
    await load(accept, 2);
    const costs = {
      accept: await row('accept', async () => (await load(accept, seconds)).count),
      'poll, recent tasks': await row('poll, recent tasks', async () => (await load(pollLatest, seconds)).count),
      'poll, any task': await row('poll, any task', async () => (await load(poll, seconds)).count),
      work: await row('claim and complete, by 8', () => bench.claimAndEnd(8000, 8)),
    };
    await row('cleanup, nothing to do', async () => {
      for (let i = 0; i < 50; i++) await bench.tasks.sweep(sweepOptions);
      return 50;
    });
    await row('cleanup, expired tasks', await expire());
    for (const [what, cost] of Object.entries(costs)) {
      first[what] ??= cost;
      if (size !== sizes[0]) {
        const by = (key) => (cost[key] / first[what][key]).toFixed(2);
        console.log(
          `  ${what} relative to ${sizes[0]} tasks: gateway × ${by('gateway')}, PostgreSQL × ${by('database')}`,
        );
      }
    }
    const { rows } = await bench.db.query(
      `select indexrelname as name, pg_size_pretty(pg_relation_size(indexrelid)) as size
         from pg_stat_user_indexes where relname = 'tasks' order by pg_relation_size(indexrelid) desc`,
    );
    console.log(`  indexes: ${rows.map(({ name, size: of }) => `${name} ${of}`).join(', ')}`);
    const [{ dead, vacuums }] = (
      await bench.db.query(
        "select n_dead_tup as dead, autovacuum_count as vacuums from pg_stat_user_tables where relname = 'tasks'",
      )
    ).rows;
    console.log(`  dead rows: ${dead}; ${vacuums} autovacuums so far; ${CLIENTS} clients`);
  }
  const passed = option('passed', 0);
  if (passed > 0) {
    const work = () => bench.claimAndEnd(400, 8);
    const statements = {
      'claim and complete, by 8': async () => {
        for (let i = 0; i < 400; i++) await bench.tasks.accept(newTask());
        return work();
      },
      sweep: () => repeated(20, () => bench.tasks.sweep(sweepOptions)),
      'count the queue': () => repeated(20, () => bench.tasks.queueDepth('defectoscopy')),
    };
    const measure = async () => {
      const costs = {};
      for (const [name, run] of Object.entries(statements)) {
        await run();
        costs[name] = await row(name, run);
      }
      return costs;
    };
    console.log('\nwithout a snapshot');
    const before = await measure();
    await withSnapshot(async () => {
      for (const statement of PASS) await slowDb.query(statement, statement.includes('$1') ? [passed] : []);
      await slowDb.query('vacuum analyze tasks');
      console.log(`\nwith a snapshot open since before ${passed} tasks`);
      for (const [what, { wall, database }] of Object.entries(await measure())) {
        const by = (cost, than) => (cost / than).toFixed(2);
        console.log(
          `  ${what}: wall × ${by(wall, before[what].wall)}, PostgreSQL × ${by(database, before[what].database)}`,
        );
      }
    });
  }
} finally {
  await slowDb.close();
  await bench.close();
}
