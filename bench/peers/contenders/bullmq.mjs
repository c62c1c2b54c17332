// BullMQ behind the same contract, on its own Redis with an append-only file.
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { TOKEN } from '../client.mjs';
import { openQueue } from '../engines/bullmq.mjs';

const program = (name) => fileURLToPath(new URL(`../processes/${name}.mjs`, import.meta.url));

/** `fsync` is Redis's `appendfsync`: `always` or `everysec`. */
export async function openBullMq(environment, { fsync }) {
  const dir = environment.folder(`redis-${fsync}`);
  const port = await freePort();
  const settings = {
    ...{ port, dir, bind: '127.0.0.1', 'protected-mode': 'no', logfile: 'redis.log' },
    ...{ appendonly: 'yes', appendfsync: fsync, 'maxmemory-policy': 'noeviction' },
    save: '', // no snapshots beside the append-only file
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const redis = new Redis({ host: '127.0.0.1', port, lazyConnect: true, maxRetriesPerRequest: null });
  redis.on('error', () => {});
  let server;
  const start = async () => {
    server = environment.start('redis-server', args);
    await waitUntilReady(redis);
  };
  await start();
  const url = `redis://127.0.0.1:${port}`;
  const env = { STORE_URL: url, TOKEN };
  const open = (queue) => openQueue({ url, queue });
  const queues = { predict: await open('predict'), tuned: await open('tuned') };

  return {
    name: `BullMQ, ${fsync}`,
    async listen(limitPerMinute) {
      const options = { queue: 'predict', limitPerMinute };
      const { child, message } = await environment.run(program('gateway'), ['bullmq', JSON.stringify(options)], env);
      return { url: message.listening, child };
    },
    async worker({ queue = 'predict', holds = false } = {}) {
      const options = { queue, holds, tuned: queue === 'tuned' };
      const args = ['bullmq', JSON.stringify(options)];
      const { child } = await environment.run(program('worker'), args, { ...env, HOLDS: holds ? '1' : '' });
      return child;
    },
    fill: (inputs, queue = 'predict') => queues[queue].addAll(inputs),
    async unfinished() {
      const counts = await Promise.all(['wait', 'active', 'prioritized'].map((list) => lengthOf(redis, list)));
      return counts.reduce((sum, count) => sum + count);
    },
    async tasksPerSecond() {
      const done = 'bull:predict:completed';
      const [first] = await redis.zrange(done, 0, 0);
      const [, last] = await redis.zrange(done, -1, -1, 'WITHSCORES');
      const startedMs = Number(await redis.hget(`bull:predict:${first}`, 'processedOn'));
      return (1000 * (await redis.zcard(done))) / (Number(last) - startedMs);
    },
    async clear() {
      await redis.flushall();
    },
    storePid: () => server.pid,
    killStore: () => environment.kill(server.pid),
    restartStore: start,
    async countStored(ids) {
      let count = 0;
      for (let i = 0; i < ids.length; i += 1000) {
        count += await redis.exists(...ids.slice(i, i + 1000).map((id) => `bull:predict:${id}`));
      }
      return count;
    },
    async close() {
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
      redis.disconnect();
    },
  };
}

const lengthOf = (redis, list) =>
  list === 'prioritized' ? redis.zcard('bull:predict:prioritized') : redis.llen(`bull:predict:${list}`);

/** After a crash Redis first loads its file. */
async function waitUntilReady(redis) {
  for (let left = 600; ; left--) {
    try {
      if (redis.status === 'wait') await redis.connect();
      return await redis.ping();
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
