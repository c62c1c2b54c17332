import { describe, expect, it } from 'vitest';
import { createCompletionRate } from './completion-rate.ts';
import type { Heartbeat } from './workers.ts';

const beat = (id: string, completed: number): Heartbeat => ({
  ...{ id, role: 'work', service: 'stt', state: 'warm', info: {} },
  metrics: [
    {
      name: 'assay_tasks_total',
      values: [
        { labels: { service: 'stt', status: 'done' }, value: completed - 1 },
        { labels: { service: 'stt', status: 'failed' }, value: 1 },
        { labels: { service: 'defectoscopy', status: 'done' }, value: 5000 },
      ],
    },
  ],
});

/** Observes once a second; `total` is the number of tasks that each worker has completed. */
function observed(seconds: number, total: (second: number) => number, { workers = 1, tasksWait = true } = {}) {
  const rate = createCompletionRate('stt');
  for (let second = 0; second <= seconds; second++) {
    const beats = Array.from({ length: workers }, (_, i) => beat(`w${i}`, total(second)));
    rate.observe(beats, tasksWait, second * 1000);
  }
  return rate;
}

describe('the completion rate', () => {
  it('is the sum of all workers and scales with their number', () => {
    const rate = observed(20, (second) => 1 + 10 * second, { workers: 3 });
    expect(rate.perSecond(3)).toBeCloseTo(30);
    expect(rate.perSecond(1)).toBeCloseTo(10);
  });

  it('is measured for tasks that take minutes', () => {
    const rate = observed(1000, (second) => 1 + Math.floor(second / 100));
    expect(rate.perSecond(1)).toBeCloseTo(0.01, 3);
  });

  it('is unknown before tasks have completed and while no worker is warm', () => {
    expect(observed(60, () => 1).perSecond(1)).toBeUndefined();
    expect(observed(2, (second) => 1 + 10 * second).perSecond(1)).toBeUndefined();
    expect(observed(20, (second) => 1 + 10 * second).perSecond(0)).toBeUndefined();
  });

  it('is not measured while no task waits', () => {
    expect(observed(60, (second) => 1 + second, { tasksWait: false }).perSecond(1)).toBeUndefined();
    const rate = observed(20, (second) => 1 + 10 * second);
    for (let second = 21; second < 500; second++) rate.observe([beat('w0', 201)], false, second * 1000);
    expect(rate.perSecond(1)).toBeCloseTo(10);
  });

  it('follows a change within a few window lengths', () => {
    const rate = observed(180, (second) => 1 + (second < 60 ? 10 * second : 600 + 2 * (second - 60)));
    expect(rate.perSecond(1)).toBeCloseTo(2, 0);
  });

  it('does not count restarts and new workers as completions', () => {
    const rate = observed(20, (second) => 1 + 10 * second);
    rate.observe([beat('w0', 1), beat('new', 100_000)], true, 21_000);
    expect(rate.perSecond(1)).toBeCloseTo(10, -0.5);
    expect(rate.perSecond(1)!).toBeLessThan(11);
  });
});
