// `node bench/http.mjs accept|poll [--runs 5] [--seconds 6]`: POST /predict or GET /result against a bare route.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { compare, load, openBench, option, TOKEN } from './lib.mjs';

const what = process.argv[2];
const seconds = option('seconds', 6);
const bench = await openBench();
const { message } = await bench.start('serve');
const url = message.listening.defectoscopy;
const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
const body = JSON.stringify({
  image_url: 'https://files.assay.internal/01KAF3M9WZ7Y5T2Q8C4N6B1D0E',
  priority: 'realtime',
});
const call = async (path, init = {}) => (await fetch(url + path, { headers, ...init })).text();

// A finished task, with an answer of everyday size, to be polled.
const accepted = await call('/predict', { method: 'POST', body });
const { task_id: id } = JSON.parse(accepted).data;
const want = { service: 'defectoscopy', worker: 'bench', limit: 1, leaseMs: 60_000 };
await bench.tasks.advance([], want);
const result = {
  surface: 'concrete_wall',
  masters: ['cracking', 'sound', 'mechanical', 'corrosion', 'contamination', 'casting'].map((name) => ({
    name,
    conf: 0.1667,
  })),
  defects: [{ name: 'crack', conf: 0.9312 }],
  model_version: '1.0.0',
};
await bench.tasks.advance([{ id, attempt: 1, outcome: 'done', result, processingMs: 40 }], { ...want, limit: 0 });
const polled = await call(`/result/${id}`);

const bareServer = fork(fileURLToPath(new URL('bare-server.mjs', import.meta.url)));
bareServer.send({ bodies: { accept: accepted, poll: polled } });
const bareUrl = await new Promise((resolve) => bareServer.once('message', ({ listening }) => resolve(listening)));

const requests = {
  accept: (base) => ({ url: `${base}/predict`, method: 'POST', headers, body }),
  poll: (base) => ({ url: `${base}/result/${id}`, headers }),
};
try {
  const request = requests[what];
  if (!request) throw new Error('say accept or poll');
  // Warm both up: compilers, prepared statements, the database's buffers.
  await load(request(bareUrl), 2);
  await load(request(url), 3);
  await compare(`${what}: requests per second, 64 clients`, {
    runs: option('runs', 5),
    bare: async () => (await load(request(bareUrl), seconds)).perSecond,
    product: async () => (await load(request(url), seconds)).perSecond,
  });
} finally {
  bareServer.kill();
  await bench.close();
}
