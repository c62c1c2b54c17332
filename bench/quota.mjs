// `node bench/quota.mjs [--files 100000]`: what PostgreSQL needs to accept one upload of a principal that has that many
// files, by adding up their sizes (as it was until 0013_files.sql) and by the sum that is kept.
import { openBench, option } from './lib.mjs';

const many = option('files', 100_000);
const bench = await openBench();
const { postgresUploads } = await import(new URL('../dist/tasks/uploads.js', import.meta.url));
const { newId } = await import(new URL('../dist/base/ids.js', import.meta.url));
const uploads = postgresUploads(bench.db);
const limits = { ttlSeconds: 3600, quotaBytes: 2 ** 50 };

const addUp = 'select coalesce(sum(size_bytes), 0) from files where principal = $1 and expires_at > now()';
const ways = {
  'adding up': (principal) => bench.db.query(addUp, [principal]),
  'kept sum': (principal) =>
    uploads.keep({ key: newId(), principal, sizeBytes: 1000, contentType: 'image/png' }, limits),
};

async function medianMs(run, principal) {
  const times = [];
  for (let i = 0; i < 100; i++) {
    const begun = performance.now();
    await run(principal);
    times.push(performance.now() - begun);
  }
  return times.sort((a, b) => a - b)[50];
}

try {
  for (const [principal, count] of [
    ['few', 10],
    ['many', many],
  ]) {
    await bench.db.query(
      `insert into files (key, principal, size_bytes, content_type, expires_at)
       select $1 || n, $1, 1000, 'image/png', now() + interval '1 day' from generate_series(1, $2::int) n`,
      [principal, count],
    );
    await bench.db.query('vacuum analyze files');
    for (const [name, run] of Object.entries(ways)) {
      console.log(`${String(count).padStart(8)} files, ${name}: ${(await medianMs(run, principal)).toFixed(2)} ms`);
    }
  }
} finally {
  await bench.close();
}
