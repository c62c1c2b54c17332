import { describe, expect, it } from 'vitest';
import { createEstimateSamples } from './estimate-samples.ts';

/** Samples tasks that end after `seconds`, of which the attempt took half. */
function sampled(outcomes: readonly { expected: number | undefined; seconds: number }[]) {
  const clock = { ms: 0 };
  const samples = createEstimateSamples(() => clock.ms);
  for (const [i, { expected, seconds }] of outcomes.entries()) {
    samples.add(`t${i}`, expected);
    samples.record([{ id: `t${i}`, seconds, processingMs: seconds * 500 }]);
  }
  return { samples, clock };
}
const repeat = (count: number, expected: number | undefined, seconds: number) =>
  Array.from({ length: count }, () => ({ expected, seconds }));

describe('the samples of an estimate', () => {
  it('give no values before 20 tasks have ended', () => {
    expect(sampled(repeat(19, 10, 20)).samples.learned()).toBeUndefined();
    expect(sampled(repeat(20, 10, 20)).samples.learned()).toEqual({ meanSeconds: 10, longSeconds: 10, factor: 2 });
  });

  it('give the 90th percentiles of the last 200 tasks', () => {
    const { samples } = sampled([...repeat(500, 10, 500), ...repeat(178, 10, 10), ...repeat(22, 10, 60)]);
    expect(samples.learned()).toEqual({ meanSeconds: (178 * 5 + 22 * 30) / 200, longSeconds: 30, factor: 6 });
    expect(sampled([...repeat(182, 10, 10), ...repeat(18, 10, 60)]).samples.learned()!.longSeconds).toBe(5);
  });

  it('bound the correction, and give the least one without expectations and below a second', () => {
    expect(sampled(repeat(50, 10, 5000)).samples.learned()!.factor).toBe(20);
    expect(sampled(repeat(50, 10, 1)).samples.learned()!.factor).toBe(1.2);
    expect(sampled(repeat(50, undefined, 5000)).samples.learned()!.factor).toBe(1.2);
    expect(sampled(repeat(50, 0.001, 0.9)).samples.learned()!.factor).toBe(1.2);
  });

  it('include overdue tasks', () => {
    const { samples, clock } = sampled(repeat(100, 10, 10));
    for (let i = 0; i < 50; i++) samples.add(`open${i}`, 10);
    clock.ms = 40_000;
    samples.record([]);
    expect(samples.learned()!.factor).toBe(4);
  });

  it('include at most 256 open tasks, evenly distributed, and new tasks after those have ended', () => {
    const { samples } = sampled([]);
    for (let i = 0; i < 10_000; i++) samples.add(String(i), 1);
    const open = samples.openIds().map(Number);
    expect(open.length).toBeGreaterThan(100);
    expect(open.length).toBeLessThanOrEqual(256);
    expect(open.filter((id) => id < 5000).length / open.length).toBeCloseTo(0.5, 1);
    for (const id of open) samples.record([{ id: String(id), seconds: 1, processingMs: 1 }]);
    for (let i = 0; i < 20; i++) samples.add(`later${i}`, 1);
    expect(samples.openIds()).toHaveLength(20);
  });

  it('omit cancelled and deleted tasks', () => {
    const { samples } = sampled([]);
    for (let i = 0; i < 50; i++) samples.add(String(i), 1);
    samples.record(samples.openIds().map((id) => ({ id, seconds: Number(id) % 2 ? 5 : null, processingMs: null })));
    expect(samples.openIds()).toEqual([]);
    expect(samples.learned()).toBeUndefined();
  });
});
