import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Feed } from './events.ts';

const PREFIX = 'evt_';
const NUMBER_BYTES = 8;
const TAG_BYTES = 12;

export type EventCursors = ReturnType<typeof createEventCursors>;

/**
 * Cursors are the numbers of events, authenticated with their feed: a cursor of another client or service, or an invented
 * one, is rejected. `key` may have other uses.
 */
export function createEventCursors(key: KeyObject) {
  const own = createSecretKey(createHmac('sha256', key).update('event cursors').digest());
  const tagOf = (feed: Feed, number: Buffer) =>
    createHmac('sha256', own)
      .update(number)
      .update(`${feed.service} ${feed.principal}`)
      .digest()
      .subarray(0, TAG_BYTES);

  return {
    serialize(feed: Feed, number: number): string {
      const bytes = Buffer.alloc(NUMBER_BYTES);
      bytes.writeBigUInt64BE(BigInt(number));
      return PREFIX + Buffer.concat([bytes, tagOf(feed, bytes)]).toString('base64url');
    },
    /** Undefined for a cursor that is not of this feed. */
    parse(feed: Feed, cursor: string): number | undefined {
      if (!CURSOR.test(cursor)) return undefined;
      const bytes = Buffer.from(cursor.slice(PREFIX.length), 'base64url');
      const number = bytes.subarray(0, NUMBER_BYTES);
      if (!timingSafeEqual(bytes.subarray(NUMBER_BYTES), tagOf(feed, number))) return undefined;
      return Number(number.readBigUInt64BE());
    },
  };
}

const CURSOR = /^evt_[A-Za-z0-9_-]{27}$/;
