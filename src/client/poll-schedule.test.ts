import { describe, expect, it } from 'vitest';
import type { Clock } from './clock.ts';
import { NetworkProblem, RateLimited, TaskNotFound } from './errors.ts';
import { type PollResult, pollUntilEnded } from './poll.ts';
import { POLL_SCHEDULES, type Polling } from './poll-schedule.ts';

type Reply = 'not yet' | 'done' | Error;

async function pollWith(
  replies: readonly Reply[],
  options: { polling?: Polling; estimateSeconds?: number; acceptedSecondsAgo?: number; timeoutSeconds?: number } = {},
) {
  const { polling = 'specification', acceptedSecondsAgo, estimateSeconds } = options;
  const slept: number[] = [];
  const held: number[] = [];
  let now = 1_000_000;
  const clock: Clock = {
    now: () => now,
    async sleep(ms) {
      now += ms;
      if (ms > 0) slept.push(ms / 1000);
    },
  };
  const left = [...replies];
  const read = async (holdSeconds: number): Promise<PollResult<Reply>> => {
    held.push(holdSeconds);
    const state = left.shift()!;
    if (state instanceof Error) throw state;
    return { state, ended: state === 'done', retryAfterSeconds: undefined };
  };
  const ended = await pollUntilEnded({
    ...{ subject: 'Task t', read, pace: POLL_SCHEDULES[polling], clock, estimateSeconds },
    acceptedAtMs: acceptedSecondsAgo === undefined ? undefined : now - acceptedSecondsAgo * 1000,
    options: { timeoutSeconds: options.timeoutSeconds },
  }).catch((error: unknown) => error as Error);
  return { slept, held, ended, polls: replies.length - left.length };
}

const times = <T>(count: number, reply: T): T[] => Array.from({ length: count }, () => reply);
const busy = (retryAfterSeconds?: number) =>
  new RateLimited({ code: 'RATE_LIMIT_EXCEEDED', message: '', status: 429, retryAfterSeconds });
const offline = new NetworkProblem({ code: 'NETWORK_PROBLEM', message: '' });

describe('polling: specification', () => {
  it('polls first at the estimated time of completion', async () => {
    const known = { estimateSeconds: 90, acceptedSecondsAgo: 0 };
    expect((await pollWith(['done'], known)).slept).toEqual([90]);
    expect((await pollWith(['done'], { ...known, acceptedSecondsAgo: 70 })).slept).toEqual([20]);
    expect((await pollWith(['done'], { ...known, acceptedSecondsAgo: 700 })).slept).toEqual([]);
  });

  it('waits no longer than the estimate when the accepting clock is ahead', async () => {
    expect((await pollWith(['done'], { estimateSeconds: 90, acceptedSecondsAgo: -86_400 })).slept).toEqual([90]);
  });

  it('increases the interval from 30 to 60 seconds', async () => {
    const { slept } = await pollWith([...times(20, 'not yet' as const), 'done'], {
      estimateSeconds: 90,
      acceptedSecondsAgo: 0,
    });
    const [first, ...rest] = slept;
    expect([first, rest[0]]).toEqual([90, 30]);
    expect(Math.min(...rest)).toBe(30);
    expect(rest).toEqual([...rest].sort((a, b) => a - b));
    expect(rest.at(-1)).toBe(60);
  });

  it('starts with a delay when the age of the task is unknown', async () => {
    expect((await pollWith(['done'])).slept).toEqual([30]);
  });

  it('backs off after errors and keeps the longer interval', async () => {
    const known = { estimateSeconds: 0, acceptedSecondsAgo: 0 };
    const { slept } = await pollWith(['not yet', busy(), busy(), busy(400), offline, 'not yet', 'done'], known);
    expect(slept).toEqual([30, 60, 120, 400, 300, 60]);
  });

  it('stops at 404 and after eleven failed polls', async () => {
    const gone = new TaskNotFound({ code: 'TASK_NOT_FOUND', message: '', status: 404 });
    expect(await pollWith(['not yet', gone, 'done'])).toMatchObject({ ended: gone, polls: 2 });
    expect(await pollWith(times(20, offline))).toMatchObject({ ended: offline, polls: 11 });
  });

  it('does not request long polling', async () => {
    expect(new Set((await pollWith(['not yet', 'done'])).held)).toEqual(new Set([0]));
  });
});

describe('polling: local', () => {
  it('polls at once with long polling and short delays', async () => {
    const { slept, held } = await pollWith(['not yet', 'not yet', 'done'], { polling: 'local', estimateSeconds: 90 });
    expect(slept).toEqual([0.2, 0.2]);
    expect(held).toEqual([20, 20, 20]);
  });

  it('backs off when the service is unreachable', async () => {
    const { slept } = await pollWith([...times(8, offline), 'done'], { polling: 'local' });
    expect(slept).toEqual([0.5, 1, 2, 4, 8, 10, 10, 10]);
  });
});

it('wait ends at its time limit without a late poll', async () => {
  const { slept, polls, ended } = await pollWith(times(9, 'not yet' as const), { timeoutSeconds: 100 });
  expect(ended).toMatchObject({
    name: 'Timeout',
    message: expect.stringContaining('Task t did not finish within 100 seconds; it continues'),
  });
  expect(slept.reduce((sum, seconds) => sum + seconds, 0)).toBe(100);
  expect(polls).toBe(3);
});
