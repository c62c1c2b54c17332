import { describe, expect, it } from 'vitest';
import { ApiError } from '../base/api-error.ts';
import { matchesETag, weakETag } from './etag.ts';
import { fingerprint, idempotencyKey } from './idempotency.ts';
import { preferredWait } from './prefer-header.ts';
import { parseTraceparent } from './request-id.ts';

describe('Prefer: wait', () => {
  it.each([
    ['wait=10', 10],
    ['wait=0', 0],
    ['WAIT = 10', 10],
    ['wait=600', 30],
    ['respond-async, wait=5', 5],
    ['wait=5, handling=lenient', 5],
    ['wait="7"', 7],
    ['wait=5;foo', 5],
    [undefined, undefined],
    ['', undefined],
    ['wait', undefined],
    ['wait=', undefined],
    ['wait=-1', undefined],
    ['wait=1.5', undefined],
    ['wait=x', undefined],
    ['await=5', undefined],
  ])('%j waits for %j seconds', (header, seconds) => {
    expect(preferredWait(header)).toBe(seconds);
  });
});

describe('ETag', () => {
  it('is weak and equal only for equal bodies', () => {
    expect(weakETag('{"a":1}')).toBe(weakETag(Buffer.from('{"a":1}')));
    expect(weakETag('{"a":1}')).not.toBe(weakETag('{"a":2}'));
    expect(weakETag('')).toMatch(/^W\/"[A-Za-z0-9_-]{22}"$/);
  });

  it.each([
    ['W/"abc"', true],
    ['"abc"', true],
    ['*', true],
    ['"x", W/"abc"', true],
    ['"x","abc"', true],
    ['"ab"', false],
    ['abc', false],
    ['', false],
    [undefined, false],
  ])('If-None-Match: %s matches W/"abc": %s', (header, expected) => {
    expect(matchesETag(header, 'W/"abc"')).toBe(expected);
  });
});

describe('Idempotency-Key', () => {
  it.each([
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['"8e03978e"', '8e03978e'],
    ['"a \\"b\\" \\\\"', 'a "b" \\'],
    ['two words', 'two words'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [undefined, undefined],
  ])('%j is parsed as the key %j', (header, key) => {
    expect(idempotencyKey(header)).toBe(key);
  });

  it.each(['', '""', '"open', 'é', '"é"', '"a"b"', 'x'.repeat(256), 'tab\tkey', '"a"; p=1'])(
    '%j is rejected',
    (header) => {
      expect(() => idempotencyKey(header)).toThrow(ApiError);
    },
  );

  it('fingerprints requests independently of the order of keys', () => {
    expect(fingerprint({ a: 1, b: { c: [1, 2], d: null } })).toBe(fingerprint({ b: { d: null, c: [1, 2] }, a: 1 }));
    for (const other of [{ a: 2 }, { a: '1' }, { a: [1] }, { a: 1, b: null }, {}, null, []]) {
      expect(fingerprint(other)).not.toBe(fingerprint({ a: 1 }));
    }
    expect(fingerprint([1, 2])).not.toBe(fingerprint([2, 1]));
  });
});

describe('traceparent', () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  it('is returned when it is valid', () => {
    const header = `00-${trace}-00f067aa0ba902b7-01`;
    expect(parseTraceparent({ traceparent: header })).toBe(header);
  });

  it.each([
    undefined,
    '',
    `00-${trace}`,
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `ff-${trace}-00f067aa0ba902b7-01`,
    `00-${trace.toUpperCase()}-00f067aa0ba902b7-01`,
  ])('%s is ignored', (header) => {
    expect(parseTraceparent({ traceparent: header })).toBeUndefined();
  });
});
