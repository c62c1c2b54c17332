import { waitUntil } from './processes/until.ts';
import type { Product } from './product.ts';

/** Lets the gateway measure about one completion a second; afterwards no worker is warm, so the rate stays. Needs a waiting task. */
export async function measureRate({ context, gateway }: Product, service: string): Promise<void> {
  const { workers } = context;
  const { workerRegistry } = gateway;
  const worker = { id: 'measured', role: 'work', service, state: 'warm' as const, info: {} };
  const since = performance.now();
  await waitUntil(async () => {
    const value = Math.ceil((performance.now() - since) / 1000);
    await workers.recordHeartbeat({
      ...worker,
      metrics: [{ name: 'assay_tasks_total', values: [{ labels: { service }, value }] }],
    });
    return workerRegistry.completionsPerSecond(service) !== undefined;
  });
  await workers.unregister(worker.id);
  await waitUntil(() => workerRegistry.workerState(service) === 'cold');
  const countedAt = workerRegistry.lastCountedAt(service);
  await waitUntil(() => workerRegistry.lastCountedAt(service) > countedAt);
}
