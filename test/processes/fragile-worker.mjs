// A worker whose model takes the whole process with it when it sees what it cannot bear: for test/chaos.test.ts, which
// gives it a database by its environment. It runs what was built.
import { setTimeout as delay } from 'node:timers/promises';
import { openHouse, plan } from '../../dist/compose.js';
import { work } from '../../dist/roles/work.js';

process.once('disconnect', () => process.exit());
const { id, tasks, workers, log } = await openHouse(await plan(process.env, 'work'));
const model = {
  info: () => ({}),
  versions: () => ['1.0.0'],
  concurrency: Number(process.env.CONCURRENCY ?? 1),
  timeLimitMs: 60_000,
  async run({ input }) {
    // So that it strikes when its neighbours run too.
    await delay(Number(process.env.RUN_MS ?? 0) * (input.image_url.endsWith('/poison.jpg') ? 0.5 : 1));
    if (input.image_url.endsWith('/poison.jpg')) process.kill(process.pid, 'SIGKILL');
    return { result: JSON.parse(process.env.RESULT) };
  },
  close: async () => {},
};
await work({
  ...{ id, tasks, workers, log },
  service: 'defectoscopy',
  load: async () => model,
  maxAttempts: 3,
  meters: { waited() {}, processed() {}, snapshot: async () => [] },
  signal: new AbortController().signal,
});
