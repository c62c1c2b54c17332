import { randomBytes } from 'node:crypto';

/**
 * `count` identifiers in the order of their text: UUIDs of version 7 (RFC 9562 §5.7), 48 bits of milliseconds since 1970,
 * then 12 bits that count within this call (its method 1), then 62 random ones.
 */
export function uuids(count: number, now = Date.now()): string[] {
  return Array.from({ length: count }, (_, i) => {
    // Past 4096 the time itself moves on, so the order holds.
    const bytes = randomBytes(16);
    bytes.writeUIntBE(now + (i >>> 12), 0, 6);
    bytes.writeUInt16BE(0x7000 | (i & 0xfff), 6);
    bytes[8] = 0x80 | (bytes[8]! & 0x3f);
    const hex = bytes.toString('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  });
}
