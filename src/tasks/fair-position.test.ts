import { describe, expect, it } from 'vitest';
import { createFairPosition } from './fair-position.ts';
import { costMicros } from './fair-tags.ts';

const WEIGHTS = new Map([
  ['double', 2],
  ['half', 0.5],
]);
const costOf = (owner: string) => costMicros(WEIGHTS, owner);

/** The tags of a queue in which each client has queued this many tasks, after `front` virtual microseconds. */
function queueOf(tasks: Readonly<Record<string, number>>, front = 0) {
  const tags = Object.entries(tasks).flatMap(([owner, count]) =>
    Array.from({ length: count }, (_, i) => ({ owner, tag: i * costOf(owner) - front })).filter(({ tag }) => tag >= 0),
  );
  const backlog = new Map<string, number>();
  for (const { owner, tag } of tags) backlog.set(owner, tag + costOf(owner));
  const ahead = (owner: string, added: number) => {
    const own = (backlog.get(owner) ?? 0) + added * costOf(owner);
    return tags.filter(({ tag }) => tag <= own).length + added;
  };
  return { position: createFairPosition(Object.fromEntries(backlog), WEIGHTS), ahead };
}

describe('the position in a fair queue', () => {
  it.each([
    ['one client', { a: 5 }],
    ['a light and a heavy client', { light: 2, heavy: 1000 }],
    ['many clients with a task each', Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`c${i}`, 1]))],
  ])('is the number of tasks with an earlier or the same tag: %s', (_, tasks) => {
    const { position, ahead } = queueOf(tasks);
    for (const owner of [...Object.keys(tasks), 'newcomer', 'constructor']) {
      for (const added of [0, 1, 7]) expect(position.tasksAhead(owner, added), owner).toBe(ahead(owner, added));
    }
  });

  it.each([0, 730])('is at most one task per client too high with weights, %i µs after the start', (front) => {
    const { position, ahead } = queueOf({ double: 40, half: 40, single: 40 }, front);
    for (const owner of ['double', 'half', 'single', 'newcomer']) {
      const excess = position.tasksAhead(owner, 3) - ahead(owner, 3);
      expect(excess).toBeGreaterThanOrEqual(0);
      expect(excess).toBeLessThanOrEqual(3);
    }
  });

  it('is the number of own tasks without other clients', () => {
    expect(createFairPosition({}, WEIGHTS).tasksAhead('a', 0)).toBe(0);
    expect(createFairPosition({}, WEIGHTS).tasksAhead('a', 4)).toBe(4);
  });
});
