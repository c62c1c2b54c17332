import { describe, expect, it } from 'vitest';
import { createDeliveryQueues, type DeliveryAttempt } from './delivery-queues.ts';
import { createReceiverSpeed, type Speed } from './receiver-speed.ts';

const queue = (principal: string, origin: string, since = 0) => ({ principal, origin, since });
const names = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);
/** Attempts that have just started, `each` per origin. */
const attempts = (principal: string, origins: readonly string[], each = 1): DeliveryAttempt[] =>
  origins.flatMap((origin) => Array.from({ length: each }, () => ({ principal, origin, startedAt: 0 })));
/** The prefix of an origin determines its speed. */
const byName = { of: (origin: string): Speed => (/^(quick|slow)/.exec(origin)?.[1] as Speed | undefined) ?? 'unknown' };
const open = (now = 0) => createDeliveryQueues(byName, () => now);
const chosen = (queues: ReturnType<typeof open>, running: readonly DeliveryAttempt[] = []) =>
  queues.choose(running).map(({ principal, origin, limit }) => `${principal} ${origin} ${limit}`);

describe('the delivery queues', () => {
  it('give a free slot to the client with the fewest running attempts', () => {
    const queues = open();
    queues.add(queue('a', 'quick-1'));
    queues.add(queue('b', 'quick-2'));
    const busy = [...attempts('a', names(25, 'quick-a'), 3), ...attempts('b', names(8, 'quick-b'), 3)];
    expect(chosen(queues, busy)).toEqual(['b quick-2 1']);
  });

  it('serve clients with equal attempts in turn, and likewise the receivers of one client', () => {
    const queues = open();
    for (const origin of ['quick-1', 'quick-2', 'quick-3']) queues.add(queue('a', origin));
    queues.add(queue('b', 'quick-4'));
    const full = attempts('c', names(24, 'quick-c'), 4); // 96 of 100
    expect(chosen(queues, full).sort()).toEqual(['a quick-1 1', 'a quick-2 1', 'b quick-4 2']);
  });

  it('remove chosen queues and keep the others', () => {
    const queues = open();
    queues.add(queue('a', 'quick-1'));
    queues.add(queue('a', 'quick-2'));
    const full = attempts('c', names(25, 'quick-c'), 4).slice(1);
    expect(chosen(queues, full)).toEqual(['a quick-1 1']);
    expect(chosen(queues, full)).toEqual(['a quick-2 1']);
    expect(queues.size()).toBe(0);
  });

  it('start four attempts per receiver over all clients, or one while its speed is unknown', () => {
    const queues = open();
    queues.add(queue('a', 'quick-1'));
    queues.add(queue('b', 'quick-1'));
    queues.add(queue('a', 'new-1'));
    expect(chosen(queues, attempts('c', ['quick-1'])).sort()).toEqual(['a new-1 1', 'a quick-1 1', 'b quick-1 2']);
  });

  it('limit slow receivers to 40 of 100 slots', () => {
    const queues = open();
    for (const origin of names(50, 'slow-')) queues.add(queue('a', origin));
    const begun = queues.choose([]);
    expect(begun.reduce((sum, { limit }) => sum + limit, 0)).toBe(40);
    expect(queues.size()).toBe(10);
  });

  it('count a receiver as slow while one of its attempts takes longer than 1 s', () => {
    const queues = open(1500);
    queues.add(queue('a', 'slow-1'));
    queues.add(queue('b', 'new-1'));
    const late = attempts('c', names(20, 'quick-'), 2);
    expect(chosen(queues, late)).toEqual(['b new-1 1']);
  });

  it('limit attempts at receivers not known to be quick to 50 per client and 75 in total', () => {
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

  it('remember 100 receivers per client and the earlier time of a queue that is found twice', () => {
    const queues = open();
    for (const origin of names(200, 'quick-')) queues.add(queue('a', origin, 5));
    expect(queues.size()).toBe(100);
    queues.add(queue('a', 'quick-0', 3));
    queues.add(queue('a', 'quick-0', 7));
    expect(queues.choose([]).find(({ origin }) => origin === 'quick-0')?.since).toBe(3);
  });
});

describe('the speed of a receiver', () => {
  it('is unknown before the first attempt has ended and then a moving average', () => {
    const speed = createReceiverSpeed();
    expect(speed.of('x')).toBe('unknown');
    speed.record('x', 14_000);
    expect(speed.of('x')).toBe('slow');
    for (let n = 0; n < 10; n++) speed.record('x', 20);
    expect(speed.of('x')).toBe('quick');
  });

  it('is remembered for a bounded number of recent receivers', () => {
    const speed = createReceiverSpeed();
    for (let n = 0; n < 10_001; n++) speed.record(`origin-${n}`, 20);
    expect(speed.of('origin-0')).toBe('unknown');
    expect(speed.of('origin-1')).toBe('quick');
  });
});
