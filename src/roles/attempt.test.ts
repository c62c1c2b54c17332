import { expect, it, vi } from 'vitest';
import type { Log } from '../base/log.ts';
import type { Model } from '../services/shared/service.ts';
import type { Claim } from '../tasks/store.ts';
import { TaskFailure } from '../tasks/task.ts';
import { beginAttempt } from './attempt.ts';

it('a failed attempt logs the failure and its cause but not the input', async () => {
  const info = vi.fn();
  const log = { info, child: () => log } as unknown as Log;
  const cause = new Error('connection reset');
  const failure = new TaskFailure({ code: 'IMAGE_FETCH_FAILED', message: 'No.' }, { cause });
  const model = { timeLimitMs: 1000, run: () => Promise.reject(failure) } as unknown as Model;
  const claim = { id: 't', attempt: 1, input: { image_url: 'https://x.example/secret' } } as unknown as Claim;
  await beginAttempt(claim, model, { id: 'w', maxAttempts: 3, log }).outcome;
  expect(info).toHaveBeenCalledWith(
    expect.objectContaining({ code: 'IMAGE_FETCH_FAILED', err: cause }),
    expect.any(String),
  );
  expect(JSON.stringify(info.mock.calls)).not.toContain('secret');
});

it('a lease renewal contains only new progress, and a checkpoint triggers a renewal', async () => {
  const log = { child: () => log } as unknown as Log;
  let report: (progress: number | undefined, checkpoint?: { until: number }) => void = () => {};
  let finish: (outcome: { result: null }) => void = () => {};
  const run: Model['run'] = (job) => {
    report = job.report;
    return new Promise((resolve) => {
      finish = resolve;
    });
  };
  const onCheckpoint = vi.fn();
  const model = { timeLimitMs: 60_000, run } as unknown as Model;
  const attempt = beginAttempt({ id: 't', attempt: 1 } as unknown as Claim, model, {
    id: 'w',
    maxAttempts: 3,
    log,
    onCheckpoint,
  });
  const renewed = () => {
    const { progress, checkpoint } = attempt.renewal();
    return { progress, checkpoint };
  };
  expect(renewed()).toEqual({});
  report(0.1, { until: 1 });
  expect(onCheckpoint).toHaveBeenCalledTimes(1);
  report(0.2);
  expect(renewed()).toEqual({ progress: 0.2, checkpoint: { until: 1 } });
  expect(renewed()).toEqual({});
  report(undefined, { until: 2 });
  expect(renewed()).toEqual({ checkpoint: { until: 2 } });
  expect(onCheckpoint).toHaveBeenCalledTimes(2);
  finish({ result: null });
  await attempt.outcome;
});
