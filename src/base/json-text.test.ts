import { describe, expect, it } from 'vitest';
import { memberText, objectText } from './json-text.ts';

describe('memberText', () => {
  it.each([
    ['{"a":1,"m":{"n":12345678901234567890123}}', '{"n":12345678901234567890123}'],
    ['{"m" : { "z": 1, "a": [ "}", "\\"" ] } , "b":2}', '{ "z": 1, "a": [ "}", "\\"" ] }'],
    ['{"m":"\\u0000 \\\\"}', '"\\u0000 \\\\"'],
    ['{"m":1e400}', '1e400'],
    ['{"m": null }', 'null'],
    ['{"m":-0.10,"x":[]}', '-0.10'],
    ['{"\\u006d":{"__proto__":{}}}', '{"__proto__":{}}'],
    ['{"m":1,"m":2}', '2'],
    ['\n {\t"a": {"m": 1}, "m": [{"m": 3}, "]"] }\n', '[{"m": 3}, "]"]'],
    ['{"a":{"m":1}}', undefined],
    ['{"a":"m","b":"\\"m\\":1"}', undefined],
    ['{}', undefined],
    ['{ }', undefined],
  ])('returns the member of %s verbatim', (json, text) => {
    expect(memberText(json, 'm')).toBe(text);
  });

  it('returns text that parses to the same value as JSON.parse', () => {
    const value = { m: { a: ['x,y', { 'k:"{': null }, true, -1.5e-7], '': {} }, n: '\\', o: [[[]]] };
    for (const indent of [0, 2]) {
      const json = JSON.stringify(value, null, indent);
      for (const [name, member] of Object.entries(value)) expect(JSON.parse(memberText(json, name)!)).toEqual(member);
    }
  });
});

it('objectText inserts texts verbatim', () => {
  expect(objectText({ a: 1, b: undefined }, { m: '{ "n": 1e400 }', none: undefined })).toBe(
    '{"a":1,"m":{ "n": 1e400 }}',
  );
  expect(objectText({}, { m: '1' })).toBe('{"m":1}');
  expect(objectText({}, {})).toBe('{}');
});
