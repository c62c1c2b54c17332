// A worker for test/faults/chaos.full.test.ts whose model kills its own process on /poison.jpg. Uses the compiled code in dist/.
import { setTimeout as delay } from 'node:timers/promises';
import { openAppContext } from '../../../dist/app-context.js';
import { loadConfig } from '../../../dist/config.js';
import { work } from '../../../dist/roles/work.js';

process.once('disconnect', () => process.exit());
const { id, tasks, workers, log } = await openAppContext(await loadConfig(process.env, 'work'));
const model = {
  info: () => ({}),
  versions: () => [{ version: '1.0.0' }],
  concurrency: Number(process.env.CONCURRENCY ?? 1),
  timeLimitMs: 60_000,
  async run({ input }) {
    // Half the time of other tasks, so that they are still running.
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
  workMetrics: { observeWait() {}, observeAttempt() {} },
  metrics: async () => [],
  signal: new AbortController().signal,
});
