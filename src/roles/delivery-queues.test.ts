import { describe, expect, it } from 'vitest';
import { type Attempt, createDeliveryQueues } from './delivery-queues.ts';
import { createReceiverSpeed, type Speed } from './receiver-speed.ts';

const queue = (principal: string, origin: string, since = 0) => ({ principal, origin, since });
const names = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);
/** Attempts that have just begun, `each` at every origin. */
const attempts = (principal: string, origins: readonly string[], each = 1): Attempt[] =>
  origins.flatMap((origin) => Array.from({ length: each }, () => ({ principal, origin, startedAt: 0 })));
/** Receivers are as fast as the first letters of their names say. */
const byName = { of: (origin: string): Speed => (/^(quick|slow)/.exec(origin)?.[1] as Speed | undefined) ?? 'unknown' };
const open = (now = 0) => createDeliveryQueues(byName, () => now);
const chosen = (queues: ReturnType<typeof open>, underWay: readonly Attempt[] = []) =>
  queues.choose(underWay).map(({ principal, origin, limit }) => `${principal} ${origin} ${limit}`);

describe('the choice of the next deliveries', () => {
  it('gives a free slot to the client with the fewest attempts under way', () => {
    const queues = open();
    queues.add(queue('a', 'quick-1'));
    queues.add(queue('b', 'quick-2'));
    const busy = [...attempts('a', names(25, 'quick-a'), 3), ...attempts('b', names(8, 'quick-b'), 3)];
    expect(chosen(queues, busy)).toEqual(['b quick-2 1']);
  });

  it('gives clients with the same number of attempts one turn each, and so the receivers of one client', () => {
    const queues = open();
    for (const origin of ['quick-1', 'quick-2', 'quick-3']) queues.add(queue('a', origin));
    queues.add(queue('b', 'quick-4'));
    const full = attempts('c', names(24, 'quick-c'), 4); // 96 of 100
    expect(chosen(queues, full).sort()).toEqual(['a quick-1 1', 'a quick-2 1', 'b quick-4 2']);
  });

  it('forgets the queues that it chooses and keeps the others for the next time', () => {
    const queues = open();
    queues.add(queue('a', 'quick-1'));
    queues.add(queue('a', 'quick-2'));
    const full = attempts('c', names(25, 'quick-c'), 4).slice(1);
    expect(chosen(queues, full)).toEqual(['a quick-1 1']);
    expect(chosen(queues, full)).toEqual(['a quick-2 1']);
    expect(queues.size()).toBe(0);
  });

  it('begins four attempts at a receiver, counted over all clients, and one where its speed is unknown', () => {
    const queues = open();
    queues.add(queue('a', 'quick-1'));
    queues.add(queue('b', 'quick-1'));
    queues.add(queue('a', 'new-1'));
    expect(chosen(queues, attempts('c', ['quick-1'])).sort()).toEqual(['a new-1 1', 'a quick-1 1', 'b quick-1 2']);
  });

  it('lets slow receivers have 40 of 100 slots', () => {
    const queues = open();
    for (const origin of names(50, 'slow-')) queues.add(queue('a', origin));
    const begun = queues.choose([]);
    expect(begun.reduce((sum, { limit }) => sum + limit, 0)).toBe(40);
    expect(queues.size()).toBe(10);
  });

  it('counts a receiver as slow while one of its attempts takes longer than a second', () => {
    const queues = open(1500);
    queues.add(queue('a', 'slow-1'));
    queues.add(queue('b', 'new-1'));
    const late = attempts('c', names(20, 'quick-'), 2);
    expect(chosen(queues, late)).toEqual(['b new-1 1']);
  });

  it('lets one client have 50 attempts at receivers that are not known to be quick, and all clients 75', () => {
    const queues = open();
    for (const principal of ['a', 'b', 'c']) {
      for (const origin of names(60, `new-${principal}`)) queues.add(queue(principal, origin));
    }
    const begun = queues.choose(attempts('a', names(45, 'other-')));
    const of = (client: string) => begun.filter(({ principal }) => principal === client).length;
    expect([of('a'), of('b') + of('c')]).toEqual([0, 30]);
    queues.add(queue('a', 'quick-1'));
    expect(chosen(queues, attempts('b', names(75, 'new-')))).toEqual(['a quick-1 4']);
  });

  it('remembers 100 receivers of one client, and the earlier time of a queue that is found twice', () => {
    const queues = open();
    for (const origin of names(200, 'quick-')) queues.add(queue('a', origin, 5));
    expect(queues.size()).toBe(100);
    queues.add(queue('a', 'quick-0', 3));
    queues.add(queue('a', 'quick-0', 7));
    expect(queues.choose([]).find(({ origin }) => origin === 'quick-0')?.since).toBe(3);
  });
});

describe('the speed of a receiver', () => {
  it('is unknown until an attempt has ended, and follows a moving average', () => {
    const speed = createReceiverSpeed();
    expect(speed.of('x')).toBe('unknown');
    speed.record('x', 14_000);
    expect(speed.of('x')).toBe('slow');
    for (let n = 0; n < 10; n++) speed.record('x', 20);
    expect(speed.of('x')).toBe('quick');
  });

  it('is remembered for a bounded number of receivers, the latest ones', () => {
    const speed = createReceiverSpeed();
    for (let n = 0; n < 10_001; n++) speed.record(`origin-${n}`, 20);
    expect(speed.of('origin-0')).toBe('unknown');
    expect(speed.of('origin-1')).toBe('quick');
  });
});
