import { expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/client.ts';
import { type AssayError, NetworkProblem, RateLimited, TaskNotFound, Unavailable } from './errors.ts';
import { pollUntilEnded } from './poll.ts';
import { POLL_SCHEDULES } from './poll-schedule.ts';

/** The pauses of a wait for a task that has ended by its third poll. */
async function pausesWith(ended: Promise<unknown> | undefined, { stops = false } = {}) {
  const clock = createFakeClock();
  let left = 3;
  await pollUntilEnded({
    subject: 'Task 1',
    read: async () => ({ state: left, ended: --left === 0, retryAfterSeconds: undefined }),
    pace: POLL_SCHEDULES.specification,
    // In a stopped clock a pause ends only by its signal.
    clock: { ...clock, sleep: (ms) => (stops && left === 3 ? new Promise(() => {}) : clock.sleep(ms)) },
    acceptedAtMs: clock.now(),
    estimateSeconds: 300,
    options: { ended },
  });
  return clock.slept;
}

it('A wait reads the state as soon as the end is reported, and polls on if the report was early', async () => {
  expect(await pausesWith(Promise.resolve(), { stops: true })).toEqual([30, expect.any(Number)]);
});

it('A wait whose report is lost polls as without one', async () => {
  const pauses = await pausesWith(undefined);
  expect(pauses[0]).toBe(300);
  expect(await pausesWith(Promise.reject(new Error('events are lost')))).toEqual(pauses);
  expect(await pausesWith(new Promise(() => {}))).toEqual(pauses);
});

it('A wait that is stopped while it waits for a report throws the reason', async () => {
  const stop = new AbortController();
  const waiting = pollUntilEnded({
    subject: 'Task 1',
    read: () => Promise.reject(new Error('must not read')),
    pace: POLL_SCHEDULES.specification,
    clock: {
      now: () => 0,
      sleep: (_, signal) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    },
    estimateSeconds: 300,
    options: { ended: new Promise(() => {}), signal: stop.signal },
  });
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
});

it('A wait reports an outage and its end once, and no rate limit that it also reports', async () => {
  const answers: (string | AssayError)[] = [
    new NetworkProblem({ code: 'NETWORK_PROBLEM', message: 'away' }),
    new Unavailable({ code: 'HTTP_503', message: 'starting', status: 503 }),
    'processing',
    new RateLimited({ code: 'RATE_LIMIT_EXCEEDED', message: 'limited', status: 429 }),
    'done',
  ];
  const reported: (string | undefined)[] = [];
  await pollUntilEnded({
    subject: 'Task 1',
    read: async () => {
      const answer = answers.shift()!;
      if (typeof answer !== 'string') throw answer;
      return { state: answer, ended: answer === 'done', retryAfterSeconds: undefined };
    },
    pace: POLL_SCHEDULES.local,
    clock: createFakeClock(),
    onRateLimit: () => {},
    options: { onOutage: (error) => reported.push(error?.message) },
  });
  expect(reported).toEqual(['away', undefined]);
});

it('reports the end of an outage when the service answers that there is no such task', async () => {
  const answers = [
    new NetworkProblem({ code: 'NETWORK_PROBLEM', message: 'away' }),
    new TaskNotFound({ code: 'TASK_NOT_FOUND', message: 'None.', status: 404 }),
  ];
  const reported: (string | undefined)[] = [];
  const waited = pollUntilEnded({
    subject: 'Task 1',
    read: () => Promise.reject(answers.shift()!),
    pace: POLL_SCHEDULES.local,
    clock: createFakeClock(),
    options: { onOutage: (error) => reported.push(error?.message) },
  });
  await expect(waited).rejects.toThrow(TaskNotFound);
  expect(reported).toEqual(['away', undefined]);
});
