import { randomBytes } from 'node:crypto';

/**
 * UUIDs of version 7 (RFC 9562 §5.7) in sort order: 48 bits of Unix milliseconds, a 12-bit counter (method 1) and 62
 * random bits.
 */
export function createUuids(count: number, now = Date.now()): string[] {
  return Array.from({ length: count }, (_, i) => {
    // Beyond 4096 the timestamp advances, which keeps the order.
    const bytes = randomBytes(16);
    bytes.writeUIntBE(now + (i >>> 12), 0, 6);
    bytes.writeUInt16BE(0x7000 | (i & 0xfff), 6);
    bytes[8] = 0x80 | (bytes[8]! & 0x3f);
    const hex = bytes.toString('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  });
}
