// `node bench/idle.mjs [--tasks 60]`: what the product adds to a lone photo: from sending POST /predict to holding the
// finished result (Prefer: wait), less the time that the worker spent on the photo.
import { readFile } from 'node:fs/promises';
import { median, openBench, option, TOKEN } from './lib.mjs';

const bench = await openBench();
try {
  const { message } = await bench.start('serve');
  await bench.start('work', '--service', 'defectoscopy');
  const url = message.listening.defectoscopy;
  const headers = { authorization: `Bearer ${TOKEN}` };
  while (!(await fetch(`${url}/health`)).ok) await new Promise((resolve) => setTimeout(resolve, 100));

  const photo = await readFile(new URL('../examples/wall.jpg', import.meta.url));
  const upload = await fetch(`${url}/files`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'image/jpeg' },
    body: photo,
  });
  const body = JSON.stringify({ image_url: (await upload.json()).data.url });

  const added = [];
  const worked = [];
  for (let i = 0; i < option('tasks', 60) + 5; i++) {
    const begun = performance.now();
    const accepted = await fetch(`${url}/predict`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    });
    const { status_url } = (await accepted.json()).data;
    const done = await fetch(url + status_url, { headers: { ...headers, prefer: 'wait=10' } });
    const { processing_time_ms } = (await done.json()).data;
    // The first ones warm compilers and prepared statements.
    if (i >= 5) {
      added.push(performance.now() - begun - processing_time_ms);
      worked.push(processing_time_ms);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const at = (values, share) => [...values].sort((a, b) => a - b)[Math.floor(values.length * share)];
  console.log(`idle, ${added.length} photos one after another:`);
  console.log(`  the worker's part   median ${median(worked).toFixed(0)} ms`);
  console.log(`  added by the rest   median ${median(added).toFixed(1)} ms, p95 ${at(added, 0.95).toFixed(1)} ms`);
} finally {
  await bench.close();
}
