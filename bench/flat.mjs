// `node bench/flat.mjs [--most 5000000] [--passed 500000]`: what accepting, polling, claiming with ending, and housekeeping
// cost with ten thousand, half a million and five million stored tasks. Nineteen in twenty are finished, with results.
// At last, the same while a snapshot is open since before `--passed` tasks were accepted, claimed and ended.
import { CLIENTS, load, openBench, option, RESULT, TOKEN } from './lib.mjs';

const most = option('most', 5_000_000);
const sizes = [...new Set([10_000, 500_000, 5_000_000].filter((size) => size < most).concat(most))];
const seconds = option('seconds', 4);
const bench = await openBench();
const { child, message } = await bench.start('serve');
const url = message.listening.defectoscopy;
const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
const body = JSON.stringify({ image_url: 'https://files.assay.internal/01KAF3M9WZ7Y5T2Q8C4N6B1D0E' });

/** Ids begin with their time, so those of one fill lie in a row. */
const ID = "'01' || to_char($1::bigint + n, 'FM000000000000000000000000')";
const idOf = (n) => `01${String(n).padStart(24, '0')}`;

/** Waiting ones are another service's, so that claims find only what was just accepted. */
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

/** Tasks that came, were claimed and ended from an hour to half an hour ago. */
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

/** Holds a snapshot open while `run` runs. */
async function withSnapshot(run) {
  await patient.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read');
    await tx.query('set local idle_in_transaction_session_timeout = 0');
    await tx.query('select from tasks limit 1');
    await run();
  });
}

let stored = 0;
const patient = bench.patientDb();
async function fill(size) {
  for (; stored < size; stored += Math.min(100_000, size - stored)) {
    const some = [0, 1].map((half) => {
      const count = Math.ceil(Math.min(100_000, size - stored) / 2);
      return patient.query(FILL, [stored + half * count, count, JSON.stringify(RESULT)]);
    });
    await Promise.all(some);
  }
  // What would come by itself within a minute, and would be counted with whatever runs then.
  await patient.query('vacuum analyze tasks');
}

/** A finished one among the `latest` that were stored. */
const anyDone = (latest = stored) => idOf(stored - latest + Math.floor((Math.random() * latest) / 20) * 20 + 2);

const sweeping = { services: ['defectoscopy', 'elsewhere'], maxAttempts: 3, batchMaxWaitSeconds: 3600, rows: 1000 };

/** Puts failed tasks past their time, which no poll here asks for, and removes them. */
async function expire() {
  const ids = Array.from({ length: 400 }, () => idOf(Math.floor(Math.random() * (stored / 20)) * 20 + 1));
  await bench.db.query('update tasks set expires_at = now() where id = any($1::text[])', [ids]);
  return async () => (await bench.tasks.sweep(sweeping)).removed;
}

async function repeated(count, run) {
  for (let i = 0; i < count; i++) await run();
  return count;
}

let made = 0;
const newTask = () => ({
  ...{ id: `02${String(++made).padStart(24, '0')}`, service: 'defectoscopy', principal: 'bench', priority: 'realtime' },
  ...{ input: {}, estimateSeconds: 90, deadlineSeconds: 3600, ttlSeconds: 86_400 },
});

/** One operation: `run` answers how many there were. */
async function row(name, run) {
  const { perOperation, line } = await bench.measured(child, run);
  console.log(`  ${name.padEnd(24)} ${line}`);
  return perOperation;
}

try {
  const first = {};
  for (const size of sizes) {
    const begun = performance.now();
    await fill(size);
    console.log(`\n${stored} stored tasks (written in ${((performance.now() - begun) / 1000).toFixed(0)} s)`);
    console.log(`  ${''.padEnd(24)}     wall µs   gateway CPU µs   PostgreSQL CPU µs`);
    const accept = { url: `${url}/predict`, method: 'POST', headers, body };
    const poll = {
      url,
      headers,
      pathsOf: () => Array.from({ length: 500 }, () => `/result/${anyDone()}`),
    };
    // What clients ask for in life: tasks that they have made a moment ago.
    const pollLatest = { ...poll, pathsOf: () => Array.from({ length: 500 }, () => `/result/${anyDone(10_000)}`) };
    // Warm: compilers, prepared statements, and what of the indexes is always in memory.
    await load(poll, 3);
    await load(accept, 2);
    const costs = {
      accept: await row('accept', async () => (await load(accept, seconds)).count),
      'poll, of the latest': await row('poll, of the latest', async () => (await load(pollLatest, seconds)).count),
      'poll, of any': await row('poll, of any', async () => (await load(poll, seconds)).count),
      work: await row('claim and end, by eight', () => bench.claimAndEnd(8000, 8)),
    };
    await row('sweep, nothing to do', async () => {
      for (let i = 0; i < 50; i++) await bench.tasks.sweep(sweeping);
      return 50;
    });
    await row('sweep, a task that goes', await expire());
    for (const [what, cost] of Object.entries(costs)) {
      first[what] ??= cost;
      if (size !== sizes[0]) {
        const by = (key) => (cost[key] / first[what][key]).toFixed(2);
        console.log(`  ${what} costs of ${sizes[0]} tasks: gateway × ${by('gateway')}, PostgreSQL × ${by('database')}`);
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
    console.log(`  dead rows: ${dead}; cleaned up ${vacuums} times so far; ${CLIENTS} clients`);
  }
  const passed = option('passed', 0);
  if (passed > 0) {
    const work = () => bench.claimAndEnd(400, 8);
    const statements = {
      'claim and end, by eight': async () => {
        for (let i = 0; i < 400; i++) await bench.tasks.accept(newTask());
        return work();
      },
      sweep: () => repeated(20, () => bench.tasks.sweep(sweeping)),
      'count the queue': () => repeated(20, () => bench.tasks.depth('defectoscopy')),
    };
    const measure = async () => {
      const costs = {};
      for (const [name, run] of Object.entries(statements)) {
        await run(); // what is read once in a while is read now
        costs[name] = await row(name, run);
      }
      return costs;
    };
    console.log('\nno snapshot is open');
    const before = await measure();
    await withSnapshot(async () => {
      for (const statement of PASS) await patient.query(statement, statement.includes('$1') ? [passed] : []);
      await patient.query('vacuum analyze tasks');
      console.log(`\na snapshot is open since before ${passed} tasks passed`);
      for (const [what, { wall, database }] of Object.entries(await measure())) {
        const by = (cost, than) => (cost / than).toFixed(2);
        console.log(
          `  ${what}: wall × ${by(wall, before[what].wall)}, PostgreSQL × ${by(database, before[what].database)}`,
        );
      }
    });
  }
} finally {
  await patient.close();
  await bench.close();
}
