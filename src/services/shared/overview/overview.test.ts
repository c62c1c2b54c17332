import { Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { createLog } from '../../../base/log.ts';
import type { WorkerRegistry } from '../../../tasks/worker-registry.ts';
import { createCounterTotals, tasksKey, webhooksKey } from './counters.ts';
import { createOverview, MAX_SAMPLES } from './overview.ts';

const metric = (value: number) => ({
  ...{ name: 'assay_tasks_total', help: '', type: 'counter', aggregator: 'sum' },
  values: [{ value, labels: { service: 'stt', status: 'done' } }],
});
const processWith = (id: string, value: number) => ({ id, metrics: [metric(value)] as never[] });
const DONE = tasksKey('stt', 'done');

it('adds the counts of a known process since the first update and of a new process since its start, and keeps those of a process that exits', () => {
  const counts = createCounterTotals();
  counts.update([processWith('old', 100)], 0);
  expect(counts.get(DONE)).toBe(0);
  counts.update([processWith('old', 103), processWith('new', 2)], 1000);
  expect(counts.get(DONE)).toBe(5);
  counts.update([processWith('new', 3)], 2000);
  expect(counts.get(DONE)).toBe(6);
  // Its heartbeats were only late.
  counts.update([processWith('old', 104), processWith('new', 3)], 3000);
  expect(counts.get(DONE)).toBe(7);
  // Another process with the same id.
  counts.update([processWith('new', 1)], 4000);
  expect(counts.get(DONE)).toBe(8);
});

it('sums webhook deliveries by outcome over all services', () => {
  const sent = (delivered: number, failed: number) => ({
    ...{ name: 'assay_webhook_attempts_total', help: '', type: 'counter', aggregator: 'sum' },
    values: [
      { value: delivered, labels: { service: 'stt', outcome: 'delivered' } },
      { value: delivered, labels: { service: 'defectoscopy', outcome: 'delivered' } },
      { value: 9, labels: { service: 'stt', outcome: 'retry' } },
      { value: failed, labels: { service: 'stt', outcome: 'failed' } },
    ],
  });
  const counts = createCounterTotals();
  counts.update([{ id: 'deliver', metrics: [sent(5, 1)] as never[] }], 0);
  counts.update([{ id: 'deliver', metrics: [sent(7, 2)] as never[] }], 1000);
  expect([counts.get(webhooksKey('delivered')), counts.get(webhooksKey('failed'))]).toEqual([4, 1]);
});

const services = [{ name: 'stt', titles: { en: '', ru: '' }, publicUrl: undefined, port: 0 }];

it('keeps as many overview samples as the chart shows and takes none while the task store is unavailable', async () => {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  let waiting = 0;
  let reachable = true;
  let reachableCalls = 0;
  const workerRegistry = {
    isReachable: () => {
      reachableCalls++;
      return reachable;
    },
    workerState: () => 'unknown',
    allWorkers: () => [],
    pendingDeliveries: () => 0,
    queueDepth: () => ({
      waiting: { realtime: ++waiting, batch: 0 },
      processing: 0,
      oldestWaitingSeconds: { realtime: 0, batch: 0 },
    }),
  } as unknown as WorkerRegistry;
  const log = createLog('silent', 'test');
  const registry = new Registry();
  const localCounters = { id: 'own', registry };
  const overview = createOverview({
    workerRegistry,
    services,
    registry,
    localCounters,
    clientShares: async () => new Map(),
    everyMs: 1,
    log,
    signal: stop.signal,
  });
  const series = () => overview.snapshot({ open: true }).services[0]!.queue!.waiting!;
  await expect.poll(() => waiting, { timeout: 15_000 }).toBeGreaterThan(2 * MAX_SAMPLES);
  expect(series()).toHaveLength(MAX_SAMPLES);
  const kept = series();
  expect(kept.at(-1)).toBeGreaterThan(MAX_SAMPLES);
  expect(kept).toEqual([...kept].sort((a, b) => a - b));

  reachable = false;
  const before = overview.snapshot({ open: true });
  expect(before.reachable).toBe(false);
  const after = reachableCalls + 20;
  await expect.poll(() => reachableCalls, { timeout: 15_000, interval: 10 }).toBeGreaterThan(after);
  expect(overview.snapshot({ open: true }).at).toBe(before.at);
});
