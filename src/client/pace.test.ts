import { describe, expect, it } from 'vitest';
import type { Clock } from './clock.ts';
import { NetworkProblem, RateLimited, TaskNotFound } from './errors.ts';
import { follow, type Reading } from './follow.ts';
import { PACES, type Polling } from './pace.ts';

/** What a question is answered with: not yet, an error, or done. */
type Reply = 'not yet' | 'done' | Error;

/** Follows a task with a clock that stands still but for the pauses; answers those, in seconds. */
async function pauses(
  replies: readonly Reply[],
  given: { polling?: Polling; estimateSeconds?: number; acceptedSecondsAgo?: number; timeoutSeconds?: number } = {},
) {
  const { polling = 'specification', acceptedSecondsAgo, estimateSeconds } = given;
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
  const read = async (holdSeconds: number): Promise<Reading<Reply>> => {
    held.push(holdSeconds);
    const state = left.shift()!;
    if (state instanceof Error) throw state;
    return { state, ended: state === 'done', retryAfterSeconds: undefined };
  };
  const ended = await follow({
    ...{ taskId: 't', read, pace: PACES[polling], clock, estimateSeconds },
    acceptedAtMs: acceptedSecondsAgo === undefined ? undefined : now - acceptedSecondsAgo * 1000,
    options: { timeoutSeconds: given.timeoutSeconds },
  }).catch((error: unknown) => error as Error);
  return { slept, held, ended, asked: replies.length - left.length };
}

const times = <T>(count: number, reply: T): T[] => Array.from({ length: count }, () => reply);
const busy = (retryAfterSeconds?: number) =>
  new RateLimited({ code: 'RATE_LIMIT_EXCEEDED', message: '', status: 429, retryAfterSeconds });
const offline = new NetworkProblem({ code: 'NETWORK_PROBLEM', message: '' });

describe('polling as the specification wants it', () => {
  it('asks first no earlier than the estimate, whenever the wait began', async () => {
    const known = { estimateSeconds: 90, acceptedSecondsAgo: 0 };
    expect((await pauses(['done'], known)).slept).toEqual([90]);
    expect((await pauses(['done'], { ...known, acceptedSecondsAgo: 70 })).slept).toEqual([20]);
    expect((await pauses(['done'], { ...known, acceptedSecondsAgo: 700 })).slept).toEqual([]);
  });

  it('waits no longer than the estimate for a task that was accepted by a clock ahead of this one', async () => {
    expect((await pauses(['done'], { estimateSeconds: 90, acceptedSecondsAgo: -86_400 })).slept).toEqual([90]);
  });

  it('then every 30 seconds, growing to 60 with the age of the task', async () => {
    const { slept } = await pauses([...times(20, 'not yet' as const), 'done'], {
      estimateSeconds: 90,
      acceptedSecondsAgo: 0,
    });
    const [first, ...rest] = slept;
    expect([first, rest[0]]).toEqual([90, 30]);
    expect(Math.min(...rest)).toBe(30);
    expect(rest).toEqual([...rest].sort((a, b) => a - b));
    expect(rest.at(-1)).toBe(60);
  });

  it('begins with a pause after a restart, where the age of the task is forgotten', async () => {
    expect((await pauses(['done'])).slept).toEqual([30]);
  });

  it('lengthens the pause under load, and never polls more often afterwards', async () => {
    const known = { estimateSeconds: 0, acceptedSecondsAgo: 0 };
    const { slept } = await pauses(['not yet', busy(), busy(), busy(400), offline, 'not yet', 'done'], known);
    expect(slept).toEqual([30, 60, 120, 400, 300, 60]);
  });

  it('stops at 404, and when nobody has answered for long', async () => {
    const gone = new TaskNotFound({ code: 'TASK_NOT_FOUND', message: '', status: 404 });
    expect(await pauses(['not yet', gone, 'done'])).toMatchObject({ ended: gone, asked: 2 });
    expect(await pauses(times(20, offline))).toMatchObject({ ended: offline, asked: 11 });
  });

  it('asks the service to hold no answer', async () => {
    expect(new Set((await pauses(['not yet', 'done'])).held)).toEqual(new Set([0]));
  });
});

describe('polling on the same machine', () => {
  it('asks at once, lets the service hold the answer, and breathes between', async () => {
    const { slept, held } = await pauses(['not yet', 'not yet', 'done'], { polling: 'local', estimateSeconds: 90 });
    expect(slept).toEqual([0.2, 0.2]);
    expect(held).toEqual([20, 20, 20]);
  });

  it('backs off when the service cannot be reached', async () => {
    const { slept } = await pauses([...times(8, offline), 'done'], { polling: 'local' });
    expect(slept).toEqual([0.5, 1, 2, 4, 8, 10, 10, 10]);
  });
});

it('a wait ends when its time is over, without a question that comes too late', async () => {
  const { slept, asked, ended } = await pauses(times(9, 'not yet' as const), { timeoutSeconds: 100 });
  expect(ended).toMatchObject({ name: 'Timeout', message: expect.stringContaining('it goes on') });
  expect(slept.reduce((sum, seconds) => sum + seconds, 0)).toBe(100);
  expect(asked).toBe(3);
});
