import { afterEach, describe, expect, it } from 'vitest';
import { BEARER, testGateway } from '../../test/support/gateway.ts';
import type { Gateway } from './gateway.ts';
import { createJsonLimiter, JSON_LIMITS } from './json-limits.ts';

/** The lowest limits that accept the texts. */
function measure(...texts: string[]): { values: number; depth: number } {
  const passes = (limits: { values: number; depth: number }) => {
    const check = createJsonLimiter(limits);
    try {
      for (const text of texts) check(Buffer.from(text));
      return true;
    } catch {
      return false;
    }
  };
  const many = 1000;
  let [values, depth] = [0, 0];
  while (!passes({ values, depth: many })) values++;
  while (!passes({ values: many, depth })) depth++;
  return { values, depth };
}

describe('the measured size of JSON texts', () => {
  it.each([
    ['7', 1, 0],
    ['"a"', 1, 0],
    ['[]', 2, 1],
    ['[1,2,3]', 4, 1],
    ['{"a":1,"b":2}', 5, 1],
    ['[[],[]]', 5, 2],
    ['[[[[]]],[]]', 7, 4],
    ['["[[,:{","a\\",[[","\\\\",0]', 5, 1],
    ['["я,я","🙂[",0]', 4, 1],
  ])('is, for %s, %i values and depth %i', (text, values, depth) => {
    expect(measure(text)).toEqual({ values, depth });
  });

  it('is the sum of values and the maximum depth', () => {
    expect(measure('[1,2]', '[[]]', '7')).toEqual({ values: 3 + 3 + 1, depth: 2 });
  });

  it('is measured for invalid JSON too', () => {
    expect(measure('["never closed ,,,,')).toEqual({ values: 2, depth: 1 });
    expect(measure(']]][')).toEqual({ values: 2, depth: 0 });
    expect(measure('"ends with \\')).toEqual({ values: 1, depth: 0 });
  });
});

describe('JSON bodies', () => {
  let app: Gateway | undefined;
  afterEach(() => app?.close());

  const post = async (payload: string) => {
    ({ app } = await testGateway({ bodyLimitBytes: 8 * 2 ** 20 }));
    const headers = { ...BEARER, 'content-type': 'application/json' };
    const { statusCode, body } = await app.inject({ method: 'POST', url: '/predict', headers, payload });
    return { status: statusCode, ...(JSON.parse(body) as { error?: { code: string; message: string } }) };
  };
  const predict = (more: string) => `{"image_url":"a","more":${more}}`;
  const nested = (levels: number) => predict('['.repeat(levels) + ']'.repeat(levels));
  /** An array in an object with two members: six values plus the numbers after the first. */
  const listed = (values: number) => predict(`[${'0,'.repeat(values - 6)}0]`);

  it.each([
    [JSON_LIMITS.values, listed],
    [JSON_LIMITS.depth - 1, nested],
  ])('are accepted with %i values or levels', async (size, bodyOf) => {
    expect(await post(bodyOf(size))).toMatchObject({ status: 202 });
  });

  it.each([
    [JSON_LIMITS.values + 1, listed, 'The JSON has more than 1200000 values.'],
    [JSON_LIMITS.depth, nested, 'The JSON is nested deeper than 100 levels.'],
  ])('are rejected with %i values or levels', async (size, bodyOf, message) => {
    expect(await post(bodyOf(size))).toMatchObject({ status: 413, error: { code: 'PAYLOAD_TOO_LARGE', message } });
  });
});
