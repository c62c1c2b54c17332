import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createEventCursors } from './event-cursor.ts';

const keyOf = (byte: number) => createSecretKey(Buffer.alloc(32, byte));
const cursors = createEventCursors(keyOf(1));
const feed = { service: 'a', principal: 'token-1' };

describe('event cursors', () => {
  it.each([0, 1, 2 ** 40, Number.MAX_SAFE_INTEGER])('keep the number %d', (number) => {
    expect(cursors.parse(feed, cursors.serialize(feed, number))).toBe(number);
  });

  it('are rejected in other feeds', () => {
    const cursor = cursors.serialize(feed, 5);
    expect(cursors.parse({ ...feed, principal: 'token-2' }, cursor)).toBeUndefined();
    expect(cursors.parse({ ...feed, service: 'b' }, cursor)).toBeUndefined();
    expect(createEventCursors(keyOf(2)).parse(feed, cursor)).toBeUndefined();
  });

  it('are rejected if any character was changed', () => {
    const cursor = cursors.serialize(feed, 5);
    // The last bits of the last character are unused.
    for (let i = 4; i < cursor.length - 1; i++) {
      const changed = cursor.slice(0, i) + (cursor[i] === 'A' ? 'B' : 'A') + cursor.slice(i + 1);
      expect(cursors.parse(feed, changed)).toBeUndefined();
    }
  });

  it.each(['', 'evt_', '5', 'latest', `evt_${'A'.repeat(28)}`, `evt_${'é'.repeat(27)}`])('reject %j', (cursor) => {
    expect(cursors.parse(feed, cursor)).toBeUndefined();
  });
});
