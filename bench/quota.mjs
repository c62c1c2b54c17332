// `node bench/quota.mjs [--files 100000]`: time of the quota check in PostgreSQL for a principal with that many files:
// adding up their sizes or a maintained sum.
import './help.mjs';
import { openBench, option } from './lib.mjs';

const largeCount = option('files', 100_000);
const bench = await openBench();
const { createPostgresUploadStore } = await import(new URL('../dist/tasks/uploads.js', import.meta.url));
const { newId } = await import(new URL('../dist/base/ids.js', import.meta.url));
const uploads = createPostgresUploadStore(bench.db);
const limits = { ttlSeconds: 3600, quotaBytes: 2 ** 50 };

const computeSum = 'select coalesce(sum(size_bytes), 0) from files where principal = $1 and expires_at > now()';
const methods = {
  'computed sum': (principal) => bench.db.query(computeSum, [principal]),
  'stored sum': (principal) =>
    uploads.insert({ key: newId(), principal, sizeBytes: 1000, contentType: 'image/png' }, limits),
};

async function medianMs(run, principal) {
  const times = [];
  for (let i = 0; i < 100; i++) {
    const startedAt = performance.now();
    await run(principal);
    times.push(performance.now() - startedAt);
  }
  return times.sort((a, b) => a - b)[50];
}

try {
  for (const [principal, count] of [
    ['few', 10],
    ['many', largeCount],
  ]) {
    await bench.db.query(
      `insert into files (key, principal, size_bytes, content_type, expires_at)
       select $1 || n, $1, 1000, 'image/png', now() + interval '1 day' from generate_series(1, $2::int) n`,
      [principal, count],
    );
    await bench.db.query('vacuum analyze files');
    for (const [name, run] of Object.entries(methods)) {
      console.log(`${String(count).padStart(8)} files, ${name}: ${(await medianMs(run, principal)).toFixed(2)} ms`);
    }
  }
} finally {
  await bench.close();
}
