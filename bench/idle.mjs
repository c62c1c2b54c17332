// `node bench/idle.mjs [--tasks 60]`: latency that the product adds to a single photo, from POST /predict to the
// finished result (Prefer: wait), minus the worker's processing time.
import './help.mjs';
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
  const processing = [];
  for (let i = 0; i < option('tasks', 60) + 5; i++) {
    const startedAt = performance.now();
    const accepted = await fetch(`${url}/predict`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    });
    const { status_url } = (await accepted.json()).data;
    const done = await fetch(url + status_url, { headers: { ...headers, prefer: 'wait=10' } });
    const { processing_time_ms } = (await done.json()).data;
    if (i >= 5) {
      added.push(performance.now() - startedAt - processing_time_ms);
      processing.push(processing_time_ms);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const at = (values, share) => [...values].sort((a, b) => a - b)[Math.floor(values.length * share)];
  console.log(`idle, ${added.length} photos in sequence:`);
  console.log(`  worker processing   median ${median(processing).toFixed(0)} ms`);
  console.log(`  added latency       median ${median(added).toFixed(1)} ms, p95 ${at(added, 0.95).toFixed(1)} ms`);
} finally {
  await bench.close();
}
