// `node bench/http.mjs accept|poll [--runs 5] [--seconds 6]`: POST /predict or GET /result against a bare route.
import './help.mjs';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { CLIENTS, compare, load, openBench, option, RESULT, TOKEN } from './lib.mjs';

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

// 10 000 finished tasks with results of typical size; each client polls its share.
const accepted = await call('/predict', { method: 'POST', body });
const { rows } = await bench.db.query(
  `insert into tasks (id, service, principal, status, input, estimate_seconds, deadline_at, expires_at, request_id,
                      started_at, finished_at, processing_ms, attempts, result)
   select '01' || to_char(n, 'FM000000000000000000000000'), 'defectoscopy', 'bench', 'done', $1::json, 90,
          now() + interval '1 hour', now() + interval '2 hours', 'bench-' || n, now(), now(), 40, 1, $2::json
     from generate_series(1, 10000) as n
   returning id`,
  [JSON.stringify({ image_url: JSON.parse(body).image_url }), JSON.stringify(RESULT)],
);
const ids = rows.map(({ id }) => id).sort(() => Math.random() - 0.5);
await bench.db.query('vacuum analyze tasks');
const polled = await call(`/result/${ids[0]}`);

const bareServer = fork(fileURLToPath(new URL('bare-server.mjs', import.meta.url)));
bareServer.send({ bodies: { accept: accepted, poll: polled } });
const bareUrl = await new Promise((resolve) => bareServer.once('message', ({ listening }) => resolve(listening)));

const requests = {
  accept: (base) => ({ url: `${base}/predict`, method: 'POST', headers, body }),
  poll: (base) => {
    const share = Math.ceil(ids.length / CLIENTS);
    let client = 0;
    const pathsOf = () => ids.slice(share * client, share * ++client).map((id) => `/result/${id}`);
    return { url: base, headers, pathsOf };
  },
};
try {
  const request = requests[what];
  if (!request) throw new Error('usage: node bench/http.mjs accept|poll');
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
