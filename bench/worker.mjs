// `node bench/worker.mjs [--photos 400] [--runs 5]`: one worker process on a queue of photos, compared with sharp and
// onnxruntime alone in as many threads.
import './help.mjs';
import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { compare, openBench, option } from './lib.mjs';

const photos = option('photos', 400);
const bench = await openBench();
const { createFolderFiles } = await import('../dist/base/files.js');
const { newId } = await import('../dist/base/ids.js');
const files = createFolderFiles({ dir: `${bench.dataDir}/files` });

// Distinct 1280 × 960 JPEG photos, so that caching has no effect.
const example = await readFile(new URL('../examples/wall.jpg', import.meta.url));
const keys = [];
for (let i = 0; i < 40; i++) {
  const turned = await sharp(example)
    .rotate(i * 9)
    .resize(1280, 960, { fit: 'cover' })
    .jpeg({ quality: 85 })
    .toBuffer();
  keys.push((await files.put(turned, { maxBytes: 1e8 })).key);
}

await bench.start('work', '--service', 'defectoscopy');
const drain = async (count) => {
  const countRemaining = async () =>
    (
      await bench.db.query(
        `select count(*) as n, min(queued_at) as first, max(finished_at) as last from tasks where status <> 'done'`,
      )
    ).rows[0].n;
  await bench.db.query('truncate tasks cascade');
  await Promise.all(
    Array.from({ length: count }, (_, i) =>
      bench.tasks.accept({
        id: newId(),
        service: 'defectoscopy',
        principal: 'bench',
        priority: 'realtime',
        input: { image_url: `https://files.assay.internal/${keys[i % keys.length]}` },
        estimateSeconds: 90,
        deadlineSeconds: 3600,
        ttlSeconds: 7200,
      }),
    ),
  );
  while ((await countRemaining()) > 0) await new Promise((resolve) => setTimeout(resolve, 150));
  const { rows } = await bench.db.query(
    `select count(*)::float8 / extract(epoch from max(finished_at) - min(started_at))::float8 as per_second from tasks where status = 'done'`,
  );
  return Number(rows[0].per_second);
};
const paths = keys.map((key) => `${bench.dataDir}/files/${key.slice(-2)}/${key}`);
const bare = await bench.startBare('bare-worker.mjs');
const bareRun = async (count) => {
  bare.child.send({ paths, count });
  const { perSecond } = await new Promise((resolve) => bare.child.once('message', resolve));
  return perSecond;
};

try {
  await drain(60);
  await bareRun(60);
  await compare(`worker: photos per second, ${photos} photos of 1280 × 960`, {
    runs: option('runs', 5),
    bare: () => bareRun(photos),
    product: () => drain(photos),
  });
} finally {
  bare.child.kill();
  await bench.close();
}
