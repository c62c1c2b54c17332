import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Log } from '../base/log.ts';
import type { AttemptResult, Claim, ClaimRequest, TaskStore } from '../tasks/store.ts';
import { requeuedUncounted } from './attempt.ts';
import { createTaskSync, type EndedAttempt } from './task-sync.ts';

// Fake timers: progress must come from notifications, not from timeouts.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Answer = Awaited<ReturnType<TaskStore['completeAndClaim']>>;

/** A fake store whose responses the test controls. */
function open({ concurrency = 4, room }: { concurrency?: number; room?: () => number } = {}) {
  const requests: {
    endings: readonly AttemptResult[];
    limit: number;
    busy: boolean | undefined;
    answer(with_: Partial<Answer>): void;
    fail(error?: Error): void;
  }[] = [];
  const hints: string[] = [];
  const running = new Set<string>();
  const recorded: [string, boolean][] = [];
  const late: number[] = [];
  const warnings: unknown[] = [];
  let stopped = false;
  const exchange = createTaskSync({
    tasks: {
      completeAndClaim: (endings: readonly AttemptResult[], { limit, busy }: ClaimRequest) =>
        new Promise<Answer>((resolve, reject) =>
          requests.push({
            ...{ endings, limit, busy },
            answer: (with_) => resolve({ ended: [], claimed: [], ...with_ }),
            fail: (error = new Error('unavailable')) => reject(error),
          }),
        ),
      hint: (what, ids = []) => void hints.push([what, ...ids].join(' ')),
      returnClaims: async () => [],
    } as Partial<TaskStore> as TaskStore,
    ...{ service: 'a', worker: 'w', concurrency },
    running: () => running.size,
    freeSlots: room ?? (() => concurrency - running.size),
    onClaimed: ({ id }) => void running.add(id),
    onLateClaims: () => void late.push(running.size),
    onLostClaim: () => {},
    onRecorded: ({ result }, isRecorded) => void recorded.push([result.id, isRecorded]),
    log: { warn: (...entry: unknown[]) => void warnings.push(entry), info() {}, error() {} } as unknown as Log,
  });
  const ran = exchange.run(() => !stopped);
  const end = (id: string) => {
    running.delete(id);
    exchange.record(ended(id));
  };
  const tick = async () => void (await vi.advanceTimersByTimeAsync(0));
  return {
    ...{ exchange, requests, hints, running, recorded, late, warnings, end, tick },
    async close() {
      stopped = true;
      exchange.notify();
      await ran;
    },
  };
}

const claim = (id: string) => ({ id, attempt: 1 }) as Claim;
const claims = (...ids: string[]): Partial<Answer> => ({ claimed: ids.map(claim) });
const ended = (id: string): EndedAttempt => ({
  claim: claim(id),
  result: { id, attempt: 1, outcome: 'done', result: null, processingMs: 1 },
  processingMs: 1,
});
const idsOf = (endings: readonly AttemptResult[] | undefined) => endings?.map(({ id }) => id);

describe('the task exchange of a worker with the database', () => {
  it('sends the results of a rejected batch one by one, and the rejected one again later', async () => {
    const { exchange, requests, recorded, end, close } = open();
    const error = Object.assign(new Error('invalid byte sequence'), { code: '22021' });
    requests[0]!.answer(claims('1', '2', '3'));
    let answered = 1;
    /** The database answers for a second and rejects this result. */
    const answerAll = async (bad?: string) => {
      for (let i = 0; i < 20; i++) {
        await vi.advanceTimersByTimeAsync(50);
        for (const { endings, fail, answer } of requests.slice(answered)) {
          const ids = idsOf(endings)!;
          if (bad !== undefined && ids.includes(bad)) fail(error);
          else answer({ ended: ids });
        }
        answered = requests.length;
      }
    };
    await answerAll();
    for (const id of ['1', '2', '3']) end(id);
    await answerAll('1');
    expect(recorded.toSorted()).toEqual([
      ['2', true],
      ['3', true],
    ]);
    expect(exchange.renewals().map(({ id }) => id)).toEqual(['1']);
    const sent = requests.length;
    for (let second = 2; second < 10; second++) await answerAll('1');
    expect(requests.slice(sent).flatMap(({ endings }) => idsOf(endings))).toEqual([]);
    for (let second = 10; second < 13; second++) await answerAll();
    expect(recorded.at(-1)).toEqual(['1', true]);
    await close();
  });

  it('has two batches in flight that together claim at most the free slots', async () => {
    const { requests, running, end, tick, close } = open();
    expect(requests.map(({ limit }) => limit)).toEqual([2]);
    requests[0]!.answer(claims('1', '2'));
    await tick();
    expect(requests.map(({ limit }) => limit)).toEqual([2, 2]);
    end('1');
    end('2');
    await tick();
    expect(requests.map(({ limit }) => limit)).toEqual([2, 2, 2]);
    expect(idsOf(requests[2]?.endings)).toEqual(['1', '2']);
    // All slots are used by both batches: a further claim waits.
    requests[1]!.answer(claims('3', '4'));
    await tick();
    requests[2]!.answer({ ended: ['1', '2'], ...claims('5', '6') });
    await tick();
    expect(running).toEqual(new Set(['3', '4', '5', '6']));
    expect(requests).toHaveLength(3);
    await close();
  });

  it('renews leases at once after a late response to a claim', async () => {
    const { requests, late, tick, close } = open();
    requests[0]!.answer(claims('1', '2'));
    await tick();
    await vi.advanceTimersByTimeAsync(1500);
    requests[1]!.answer(claims('3', '4'));
    await tick();
    expect(late).toEqual([4]);
    await close();
  });

  it('claims once when no task waits, and again after each notification, also one during a claim', async () => {
    const { exchange, requests, tick, close } = open({ concurrency: 1 });
    exchange.notify();
    await tick();
    expect(requests).toHaveLength(1);
    requests[0]!.answer({});
    await tick();
    expect(requests).toHaveLength(2);
    requests[1]!.answer({});
    await tick();
    expect(requests).toHaveLength(2);
    exchange.notify();
    await tick();
    expect(requests).toHaveLength(3);
    await close();
  });

  it('renews the leases of unrecorded results until the database has responded', async () => {
    const { exchange, requests, hints, recorded, warnings, end, tick, close } = open();
    const kept = () => idsOf(exchange.renewals() as unknown as AttemptResult[]);
    requests[0]!.answer(claims('1', '2'));
    await tick();
    requests[1]!.answer({});
    await tick();
    end('1');
    await tick();
    expect(idsOf(requests[2]?.endings)).toEqual(['1']);
    expect(kept()).toEqual(['1']);
    requests[2]!.fail();
    await tick();
    end('2');
    await tick();
    expect(idsOf(requests[3]?.endings)).toEqual(['1', '2']);
    expect(kept()).toEqual(['1', '2']);
    expect([hints, recorded]).toEqual([[], []]);
    requests[3]!.answer({ ended: ['1'] });
    await tick();
    expect(kept()).toEqual([]);
    expect(hints).toEqual(['finished 1']);
    expect(recorded).toEqual([
      ['1', true],
      ['2', false],
    ]);
    // Only of the database: the result of a task that was cancelled meanwhile is no problem.
    expect(warnings).toHaveLength(1);
    await close();
  });

  it('sends one batch at a time with backoff while the database fails, and at once after a notification', async () => {
    const { exchange, requests, end, running, tick, close } = open();
    requests[0]!.answer(claims('1', '2'));
    await tick();
    end('1');
    await tick();
    expect(requests).toHaveLength(3);
    requests[1]!.fail();
    requests[2]!.fail();
    await tick();
    expect(requests).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(5000);
    expect(requests).toHaveLength(4);
    expect(idsOf(requests[3]?.endings)).toEqual(['1']);
    requests[3]!.fail();
    await tick();
    end('2');
    await tick();
    expect(requests).toHaveLength(5);
    expect(idsOf(requests[4]?.endings)).toEqual(['1', '2']);
    // Two slots are free, but are not claimed before the database responds.
    exchange.notify();
    await tick();
    expect(requests).toHaveLength(5);
    requests[4]!.answer({ ended: ['1', '2'], ...claims('3', '4') });
    await tick();
    expect(requests).toHaveLength(6);
    expect(running).toEqual(new Set(['3', '4']));
    await close();
  });

  it('batches results only while more than half of the slots are busy', async () => {
    const { requests, end, tick, close } = open();
    requests[0]!.answer(claims('1', '2'));
    await tick();
    requests[1]!.answer(claims('3', '4'));
    await tick();
    end('1');
    await tick();
    expect(requests).toHaveLength(2);
    end('2');
    await tick();
    expect(idsOf(requests[2]?.endings)).toEqual(['1', '2']);
    requests[2]!.answer({ ended: ['1', '2'], ...claims('5', '6') });
    await tick();
    end('3');
    await tick();
    expect(requests).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(1000);
    expect(idsOf(requests[3]?.endings)).toEqual(['3']);
    await close();
  });

  it('records results without free slots and notifies workers of handed-back tasks', async () => {
    let room = 2;
    const { exchange, requests, hints, tick, close } = open({ room: () => room });
    requests[0]!.answer(claims('1', '2'));
    room = 0;
    await tick();
    expect(requests).toHaveLength(1);
    exchange.record({ claim: claim('1'), result: requeuedUncounted(claim('1'), 'WORKER_STOPPED'), processingMs: 0 });
    await tick();
    expect(requests[1]).toMatchObject({ limit: 0, endings: [{ id: '1', outcome: 'again' }] });
    requests[1]!.answer({ ended: ['1'] });
    await tick();
    expect(hints).toEqual(['finished 1', 'waiting:a']);
    await close();
  });

  it('reports whether it is busy and sends no second claim during an idle claim', async () => {
    const { exchange, requests, end, tick, close } = open();
    expect(requests[0]).toMatchObject({ limit: 2, busy: false });
    exchange.notify();
    await tick();
    expect(requests).toHaveLength(1);
    requests[0]!.answer(claims('1'));
    await tick();
    expect(requests[1]).toMatchObject({ limit: 2, busy: true });
    requests[1]!.answer({});
    await tick();
    end('1');
    await tick();
    expect(requests[2]).toMatchObject({ endings: [{ id: '1' }], limit: 2, busy: false });
    await close();
  });

  it('records without a claim after an idle claim found fewer tasks than it requested', async () => {
    const { requests, hints, end, tick, close } = open();
    requests[0]!.answer(claims('1'));
    await tick();
    end('1');
    await tick();
    expect(requests[1]).toMatchObject({ endings: [{ id: '1' }], limit: 0 });
    requests[1]!.answer({ ended: ['1'], notified: true });
    await tick();
    expect([requests.length, hints]).toEqual([2, []]);
    await close();
  });

  it('claims with the next result after an idle claim that may have left tasks', async () => {
    const { requests, end, tick, close } = open();
    requests[0]!.answer({ ...claims('1'), moreMayWait: true });
    await tick();
    end('1');
    await tick();
    expect(requests[1]).toMatchObject({ endings: [{ id: '1' }], limit: 2, busy: false });
    requests[1]!.answer({ ended: ['1'], ...claims('2') });
    await tick();
    end('2');
    await tick();
    expect(requests[2]).toMatchObject({ endings: [{ id: '2' }], limit: 0 });
    await close();
  });

  it('claims again when idle after a busy claim returned nothing', async () => {
    const { requests, end, tick, close } = open();
    requests[0]!.answer(claims('1', '2'));
    await tick();
    end('1');
    end('2');
    await tick();
    expect(requests.map(({ busy }) => busy)).toEqual([false, true, true]);
    requests[2]!.answer({ ended: ['1', '2'] });
    await tick();
    requests[1]!.answer({});
    await tick();
    expect(requests[3]).toMatchObject({ endings: [], busy: false });
    requests[3]!.answer({});
    await tick();
    expect(requests).toHaveLength(4);
    await close();
  });

  it('settles when all results are recorded, with retries, or at the timeout', async () => {
    const { exchange, requests, tick, close } = open({ room: () => 0 });
    await close();
    exchange.record(ended('1'));
    const settled = vi.fn();
    void exchange.flush(60_000).then(settled);
    await tick();
    requests[0]!.fail();
    await vi.advanceTimersByTimeAsync(5000);
    expect(idsOf(requests[1]?.endings)).toEqual(['1']);
    expect(settled).not.toHaveBeenCalled();
    requests[1]!.answer({ ended: ['1'] });
    await tick();
    expect(settled).toHaveBeenCalled();
    exchange.record(ended('2'));
    const settling = exchange.flush(60_000);
    await vi.advanceTimersByTimeAsync(60_000);
    await settling;
    expect(idsOf(exchange.renewals() as unknown as AttemptResult[])).toEqual(['2']);
  });
});
