import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Log } from '../base/log.ts';
import type { Claim, Ending, TaskStore, Want } from '../tasks/store.ts';
import { type Ended, handedBack, openExchange } from './exchange.ts';

// Time stands still: what goes on does so because somebody rang, and not because a clock ran out.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Answer = Awaited<ReturnType<TaskStore['advance']>>;

/** A store that answers when the test says so, and a worker that has nothing but its exchange. */
function open({ concurrency = 4, room }: { concurrency?: number; room?: () => number } = {}) {
  const asked: {
    endings: readonly Ending[];
    limit: number;
    busy: boolean | undefined;
    answer(with_: Partial<Answer>): void;
    fail(): void;
  }[] = [];
  const hints: string[] = [];
  const running = new Set<string>();
  const told: [string, boolean][] = [];
  const late: number[] = [];
  let over = false;
  const exchange = openExchange({
    tasks: {
      advance: (endings: readonly Ending[], { limit, busy }: Want) =>
        new Promise<Answer>((resolve, reject) =>
          asked.push({
            ...{ endings, limit, busy },
            answer: (with_) => resolve({ ended: [], claimed: [], ...with_ }),
            fail: () => reject(new Error('away')),
          }),
        ),
      hint: (what, ids = []) => void hints.push([what, ...ids].join(' ')),
      returnClaims: async () => [],
    },
    ...{ service: 'a', worker: 'w', concurrency },
    running: () => running.size,
    room: room ?? (() => concurrency - running.size),
    onClaimed: ({ id }) => void running.add(id),
    onLateClaims: () => void late.push(running.size),
    onLostClaim: () => {},
    onTold: ({ ending }, recorded) => void told.push([ending.id, recorded]),
    log: { warn() {} } as unknown as Log,
  });
  const ran = exchange.run(() => !over);
  const end = (id: string) => {
    running.delete(id);
    exchange.record(ended(id));
  };
  const turns = async () => void (await vi.advanceTimersByTimeAsync(0));
  return {
    ...{ exchange, asked, hints, running, told, late, end, turns },
    async close() {
      over = true;
      exchange.ring();
      await ran;
    },
  };
}

const claim = (id: string) => ({ id, attempt: 1 }) as Claim;
const claims = (...ids: string[]): Partial<Answer> => ({ claimed: ids.map(claim) });
const ended = (id: string): Ended => ({
  claim: claim(id),
  ending: { id, attempt: 1, outcome: 'done', result: null, processingMs: 1 },
  processingMs: 1,
});
const idsOf = (endings: readonly Ending[] | undefined) => endings?.map(({ id }) => id);

describe('the exchange of a worker with its store', () => {
  it('has two batches under way, which together ask for no more than there is room for', async () => {
    const { asked, running, end, turns, close } = open();
    expect(asked.map(({ limit }) => limit)).toEqual([2]);
    asked[0]!.answer(claims('1', '2'));
    await turns();
    expect(asked.map(({ limit }) => limit)).toEqual([2, 2]);
    end('1');
    end('2');
    await turns();
    expect(asked.map(({ limit }) => limit)).toEqual([2, 2, 2]);
    expect(idsOf(asked[2]?.endings)).toEqual(['1', '2']);
    // Both are full of claims: what is rung for now waits for one of them.
    asked[1]!.answer(claims('3', '4'));
    await turns();
    asked[2]!.answer({ ended: ['1', '2'], ...claims('5', '6') });
    await turns();
    expect(running).toEqual(new Set(['3', '4', '5', '6']));
    expect(asked).toHaveLength(3);
    await close();
  });

  it('has leases renewed at once whose claim was answered late', async () => {
    const { asked, late, turns, close } = open();
    asked[0]!.answer(claims('1', '2'));
    await turns();
    await vi.advanceTimersByTimeAsync(1500);
    asked[1]!.answer(claims('3', '4'));
    await turns();
    expect(late).toEqual([4]);
    await close();
  });

  it('asks once where nothing waits, and again when somebody rings, also while it is asking', async () => {
    const { exchange, asked, turns, close } = open({ concurrency: 1 });
    exchange.ring();
    await turns();
    expect(asked).toHaveLength(1);
    asked[0]!.answer({});
    await turns();
    expect(asked).toHaveLength(2);
    asked[1]!.answer({});
    await turns();
    expect(asked).toHaveLength(2);
    exchange.ring();
    await turns();
    expect(asked).toHaveLength(3);
    await close();
  });

  it('keeps the leases of what has ended until the store has answered', async () => {
    const { exchange, asked, hints, told, end, turns, close } = open();
    const kept = () => idsOf(exchange.renewals() as unknown as Ending[]);
    asked[0]!.answer(claims('1', '2'));
    await turns();
    asked[1]!.answer({});
    await turns();
    end('1');
    await turns();
    expect(idsOf(asked[2]?.endings)).toEqual(['1']);
    expect(kept()).toEqual(['1']);
    asked[2]!.fail();
    await turns();
    end('2');
    await turns();
    expect(idsOf(asked[3]?.endings)).toEqual(['1', '2']);
    expect(kept()).toEqual(['1', '2']);
    expect([hints, told]).toEqual([[], []]);
    asked[3]!.answer({ ended: ['1'] });
    await turns();
    expect(kept()).toEqual([]);
    expect(hints).toEqual(['finished 1']);
    expect(told).toEqual([
      ['1', true],
      ['2', false],
    ]);
    await close();
  });

  it('tries one batch at a time while the store fails, later and later, and at once when somebody rings', async () => {
    const { exchange, asked, end, running, turns, close } = open();
    asked[0]!.answer(claims('1', '2'));
    await turns();
    end('1');
    await turns();
    expect(asked).toHaveLength(3);
    asked[1]!.fail();
    asked[2]!.fail();
    await turns();
    expect(asked).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(5000);
    expect(asked).toHaveLength(4);
    expect(idsOf(asked[3]?.endings)).toEqual(['1']);
    asked[3]!.fail();
    await turns();
    end('2');
    await turns();
    expect(asked).toHaveLength(5);
    expect(idsOf(asked[4]?.endings)).toEqual(['1', '2']);
    // There is room for two more, but it is not asked for before the store has answered.
    exchange.ring();
    await turns();
    expect(asked).toHaveLength(5);
    asked[4]!.answer({ ended: ['1', '2'], ...claims('3', '4') });
    await turns();
    expect(asked).toHaveLength(6);
    expect(running).toEqual(new Set(['3', '4']));
    await close();
  });

  it('lets an ending wait for company only while more than half is still in hand', async () => {
    const { asked, end, turns, close } = open();
    asked[0]!.answer(claims('1', '2'));
    await turns();
    asked[1]!.answer(claims('3', '4'));
    await turns();
    end('1');
    await turns();
    expect(asked).toHaveLength(2);
    end('2');
    await turns();
    expect(idsOf(asked[2]?.endings)).toEqual(['1', '2']);
    asked[2]!.answer({ ended: ['1', '2'], ...claims('5', '6') });
    await turns();
    end('3');
    await turns();
    expect(asked).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(1000);
    expect(idsOf(asked[3]?.endings)).toEqual(['3']);
    await close();
  });

  it('tells what has ended also where nothing more is to begin, and that others may begin what is handed back', async () => {
    let room = 2;
    const { exchange, asked, hints, turns, close } = open({ room: () => room });
    asked[0]!.answer(claims('1', '2'));
    room = 0;
    await turns();
    expect(asked).toHaveLength(1);
    exchange.record({ claim: claim('1'), ending: handedBack(claim('1')), processingMs: 0 });
    await turns();
    expect(asked[1]).toMatchObject({ limit: 0, endings: [{ id: '1', outcome: 'again' }] });
    asked[1]!.answer({ ended: ['1'] });
    await turns();
    expect(hints).toEqual(['finished 1', 'waiting:a']);
    await close();
  });

  it('says whether it holds tasks, and asks for no more while it waits for the answer to having said that it holds none', async () => {
    const { exchange, asked, end, turns, close } = open();
    expect(asked[0]).toMatchObject({ limit: 2, busy: false });
    exchange.ring();
    await turns();
    expect(asked).toHaveLength(1);
    asked[0]!.answer(claims('1'));
    await turns();
    expect(asked[1]).toMatchObject({ limit: 2, busy: true });
    asked[1]!.answer({});
    await turns();
    end('1');
    await turns();
    expect(asked[2]).toMatchObject({ endings: [{ id: '1' }], limit: 2, busy: false });
    await close();
  });

  it('asks again when it holds nothing any more and was given nothing while it held something', async () => {
    const { asked, end, turns, close } = open();
    asked[0]!.answer(claims('1', '2'));
    await turns();
    end('1');
    end('2');
    await turns();
    expect(asked.map(({ busy }) => busy)).toEqual([false, true, true]);
    asked[2]!.answer({ ended: ['1', '2'] });
    await turns();
    asked[1]!.answer({});
    await turns();
    expect(asked[3]).toMatchObject({ endings: [], busy: false });
    asked[3]!.answer({});
    await turns();
    expect(asked).toHaveLength(4);
    await close();
  });

  it('settles when all is recorded, however often the store had to be asked, or when its time is over', async () => {
    const { exchange, asked, turns, close } = open({ room: () => 0 });
    await close();
    exchange.record(ended('1'));
    const settled = vi.fn();
    void exchange.settle(60_000).then(settled);
    await turns();
    asked[0]!.fail();
    await vi.advanceTimersByTimeAsync(5000);
    expect(idsOf(asked[1]?.endings)).toEqual(['1']);
    expect(settled).not.toHaveBeenCalled();
    asked[1]!.answer({ ended: ['1'] });
    await turns();
    expect(settled).toHaveBeenCalled();
    exchange.record(ended('2'));
    const given = exchange.settle(60_000);
    await vi.advanceTimersByTimeAsync(60_000);
    await given;
    expect(idsOf(exchange.renewals() as unknown as Ending[])).toEqual(['2']);
  });
});
