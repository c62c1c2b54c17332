import { expect, it, onTestFinished, vi } from 'vitest';
import type { Log } from '../base/log.ts';
import type { Job, Model } from '../services/shared/service.ts';
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

it('the time limit and the processing time do not run while an attempt waits in the model', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const log = { info() {}, child: () => log } as unknown as Log;
  let job: Job | undefined;
  const run: Model['run'] = (started) => {
    job = started;
    return new Promise((_, reject) => {
      started.signal.addEventListener('abort', () => reject(started.signal.reason as Error));
    });
  };
  const onWaiting = vi.fn();
  const model = { timeLimitMs: 1000, run } as unknown as Model;
  const claim = { id: 't', attempt: 1 } as unknown as Claim;
  const attempt = beginAttempt(claim, model, { id: 'w', maxAttempts: 3, log, onWaiting });
  expect(attempt.isWaiting()).toBe(false);
  job!.setWaiting!(true);
  expect([attempt.isWaiting(), onWaiting.mock.calls.length]).toEqual([true, 1]);
  vi.advanceTimersByTime(60_000);
  expect(attempt.hasTimedOut()).toBe(false);
  job!.setWaiting!(false);
  vi.advanceTimersByTime(999);
  expect([attempt.isWaiting(), attempt.hasTimedOut()]).toEqual([false, false]);
  vi.advanceTimersByTime(1);
  expect(attempt.hasTimedOut()).toBe(true);
  const { result, processingMs } = await attempt.outcome;
  expect(result).toMatchObject({ outcome: 'failed', failure: { code: 'INFERENCE_TIMEOUT' }, processingMs: 1000 });
  expect(processingMs).toBe(1000);
});

it('a lease renewal contains only new progress or that of a failed one, and a checkpoint triggers a renewal', async () => {
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
  // A renewal failed.
  const claimed = { id: 't', attempt: 1, leaseMs: 6000 };
  attempt.renewAgain({ ...claimed, progress: 0.2, checkpoint: { until: 2 } });
  expect(renewed()).toEqual({ progress: 0.2, checkpoint: { until: 2 } });
  report(0.3, { until: 3 });
  attempt.renewAgain({ ...claimed, progress: 0.2, checkpoint: { until: 2 } });
  expect(renewed()).toEqual({ progress: 0.3, checkpoint: { until: 3 } });
  finish({ result: null });
  await attempt.outcome;
});
