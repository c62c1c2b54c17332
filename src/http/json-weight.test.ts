import { afterEach, describe, expect, it } from 'vitest';
import type { Gateway } from './gateway.ts';
import { JSON_BOUNDS, jsonScales } from './json-weight.ts';
import { BEARER, testGateway } from './testing/gateway.ts';

/** What texts come to, found by the least bounds that let them pass. */
function weight(...texts: string[]): { values: number; depth: number } {
  const passes = (bounds: { values: number; depth: number }) => {
    const weigh = jsonScales(bounds);
    try {
      for (const text of texts) weigh(Buffer.from(text));
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

describe('the weight of a JSON text', () => {
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
  ])('%s: %i values, %i deep', (text, values, depth) => {
    expect(weight(text)).toEqual({ values, depth });
  });

  it('of several is that of all their values, and of the deepest', () => {
    expect(weight('[1,2]', '[[]]', '7')).toEqual({ values: 3 + 3 + 1, depth: 2 });
  });

  it('of a text that is none is told too', () => {
    expect(weight('["never closed ,,,,')).toEqual({ values: 2, depth: 1 });
    expect(weight(']]][')).toEqual({ values: 2, depth: 0 });
    expect(weight('"ends with \\')).toEqual({ values: 1, depth: 0 });
  });
});

describe('a gateway', () => {
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
  /** The object, its two members with their names, and the numbers. */
  const listed = (values: number) => predict(`[${'0,'.repeat(values - 6)}0]`);

  it.each([
    [JSON_BOUNDS.values, listed],
    [JSON_BOUNDS.depth - 1, nested],
  ])('reads a body of %i', async (size, bodyOf) => {
    expect(await post(bodyOf(size))).toMatchObject({ status: 202 });
  });

  it.each([
    [JSON_BOUNDS.values + 1, listed, 'The JSON has more than 1200000 values.'],
    [JSON_BOUNDS.depth, nested, 'The JSON is nested deeper than 100 levels.'],
  ])('refuses one of %i', async (size, bodyOf, message) => {
    expect(await post(bodyOf(size))).toMatchObject({ status: 413, error: { code: 'PAYLOAD_TOO_LARGE', message } });
  });
});
