// Load of the soak test: clients create tasks and wait for their results (`Prefer: wait`), one in five with a webhook.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';

const WEBHOOKS = 0.2;
/** Several origins, because the deliverer limits concurrent attempts per origin. */
const RECEIVERS = 4;
/** 1 × 1 pixel: the model of the soak test only checks that the file exists. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
);

/** `renewMs`: upload interval of the picture, because uploads expire. `connections`: each waiting client uses one. */
export async function startLoad({ url, token, renewMs, connections }) {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const headers = { authorization: `Bearer ${token}` };
  // Long polling, because a poll interval would dominate the measured latency.
  const waiting = { ...headers, prefer: 'wait=20' };
  const count = { accepted: 0, done: 0, wanted: 0, delivered: 0, refused: 0, underWay: 0 };
  const failures = new Map();
  let times = { accept: [], poll: [] };

  const receivers = await Promise.all(
    Array.from({ length: RECEIVERS }, async () => {
      const server = createServer((request, response) => {
        count.delivered++;
        request.resume();
        response.writeHead(204).end();
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const hooks = receivers.map((server) => `http://127.0.0.1:${server.address().port}/hook`);

  async function call(verb, request) {
    const startedAt = performance.now();
    const { statusCode, body } = await pool.request({ headersTimeout: 30_000, ...request });
    const data = (await body.json()).data;
    times[verb].push(performance.now() - startedAt);
    if (statusCode >= 300) throw new Error(`${verb} returned ${statusCode}`);
    return data;
  }

  const upload = () =>
    call('accept', {
      path: '/files',
      method: 'POST',
      headers: { ...headers, 'content-type': 'image/png' },
      body: PICTURE,
    });
  let picture = await upload();
  const renewal = setInterval(() => {
    upload().then(
      (next) => {
        picture = next;
      },
      (error) => recordFailure(error),
    );
  }, renewMs);

  function recordFailure({ message }) {
    count.refused++;
    failures.set(message, (failures.get(message) ?? 0) + 1);
  }

  async function task(restMs) {
    count.underWay++;
    try {
      const webhook = Math.random() < WEBHOOKS && hooks[count.wanted % hooks.length];
      const { task_id } = await call('accept', {
        path: '/predict',
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ image_url: picture.url, ...(webhook && { webhook_url: webhook }) }),
      });
      count.accepted++;
      if (webhook) count.wanted++;
      await delay(restMs);
      for (let status; status !== 'done'; ) {
        ({ status } = await call('poll', { path: `/result/${task_id}`, method: 'GET', headers: waiting }));
        if (status === 'failed') throw new Error('a task failed');
      }
      count.done++;
    } catch (error) {
      recordFailure(error);
    } finally {
      count.underWay--;
    }
  }

  /** Waits until all tasks are done and all webhooks are delivered. */
  async function drained() {
    while (count.underWay > 0 || count.delivered < count.wanted) await delay(50);
  }

  return {
    count,
    failures,
    /** Latencies since the last call. */
    takeTimes() {
      const result = times;
      times = { accept: [], poll: [] };
      return result;
    },
    /** Maximum throughput in tasks per second, including webhooks, of `clients` with one task at a time. */
    async ceiling({ seconds, clients }) {
      const before = count.done;
      const startedAt = performance.now();
      const client = async () => {
        while (performance.now() - startedAt < seconds * 1000) await task(0);
      };
      await Promise.all(Array.from({ length: clients }, client));
      await drained();
      return (count.done - before) / ((performance.now() - startedAt) / 1000);
    },
    /** Starts `perSecond` tasks per second (open loop) until `signal` aborts. */
    async steady({ perSecond, signal }) {
      const startedAt = performance.now();
      for (let begun = 0; !signal.aborted; await delay(10, undefined, { signal }).catch(() => {})) {
        const due = ((performance.now() - startedAt) / 1000) * perSecond;
        for (; begun < due && count.underWay < 20 * perSecond; begun++) void task(500);
      }
      await Promise.race([drained(), delay(30_000)]);
    },
    async close() {
      clearInterval(renewal);
      await pool.destroy();
      for (const server of receivers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
