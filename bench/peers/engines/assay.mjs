import { openAppContext } from '../../../dist/app-context.js';
import { loadConfig } from '../../../dist/config.js';
import { createWorkMetrics } from '../../../dist/roles/metrics.js';
import { work as workRole } from '../../../dist/roles/work.js';
import { CONCURRENCY, work } from './task.mjs';

export async function openWorker({ holds }) {
  const context = await openAppContext(await loadConfig(process.env, 'work'));
  const { id, tasks, workers, settings, registry, log } = context;
  const workMetrics = createWorkMetrics('defectoscopy', registry);
  const model = {
    info: () => ({}),
    versions: () => [{ version: '1.0.0' }],
    concurrency: holds ? 1 : CONCURRENCY,
    timeLimitMs: 600_000, // held tasks wait for the other contenders
    run: async (job) => ({ result: await work(job.id, job.input) }),
    close: async () => {},
  };
  let stopping;
  let working;
  return {
    async start() {
      stopping = new AbortController();
      working = workRole({
        ...{ id, tasks, workers, workMetrics, log, signal: stopping.signal },
        service: 'defectoscopy',
        load: async () => model,
        maxAttempts: settings.workerMaxAttempts,
        metrics: () => registry.getMetricsAsJSON(),
      });
    },
    async stop() {
      stopping.abort();
      await working;
    },
  };
}
