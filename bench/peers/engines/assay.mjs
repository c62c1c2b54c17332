// Assay's own worker role, as built, with a model that costs nothing in the place of the network.
import { openHouse, plan } from '../../../dist/compose.js';
import { createWorkMeters } from '../../../dist/roles/meters.js';
import { work as workRole } from '../../../dist/roles/work.js';
import { IN_HAND, work } from './task.mjs';

export async function openWorker({ holds }) {
  const house = await openHouse(await plan(process.env, 'work'));
  const { id, tasks, workers, settings, registry, log } = house;
  const meters = createWorkMeters('defectoscopy', registry);
  const model = {
    info: () => ({}),
    versions: () => ['1.0.0'],
    concurrency: holds ? 1 : IN_HAND,
    timeLimitMs: 600_000, // a held task is held for as long as the others need to get ready
    run: async (job) => ({ result: await work(job.id, job.input) }),
    close: async () => {},
  };
  let over;
  let working;
  return {
    async begin() {
      over = new AbortController();
      working = workRole({
        ...{ id, tasks, workers, meters, log, signal: over.signal },
        service: 'defectoscopy',
        load: async () => model,
        maxAttempts: settings.workerMaxAttempts,
        metrics: () => registry.getMetricsAsJSON(),
      });
    },
    async rest() {
      over.abort();
      await working;
    },
  };
}
