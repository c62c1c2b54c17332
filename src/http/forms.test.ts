import { expect, it } from 'vitest';
import { parseForm } from './forms.ts';
import { InvalidInput } from './validation-details.ts';

const named = (count: number, name: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => `${name(at)}=${at}`).join('&');

it('parses form fields in order, with the last value of a repeated name', () => {
  expect([...parseForm('b=1&a=%D1%8F+2&b=3&c')]).toEqual([
    ['b', '3'],
    ['a', 'я 2'],
    ['c', ''],
  ]);
  expect(parseForm('').size).toBe(0);
  expect(parseForm(named(500, (at) => `k${at}`)).size).toBe(500);
  expect(parseForm(named(1000, () => 'k')).get('k')).toBe('999');
});

it('has LF for line breaks, which browsers send as CRLF', () => {
  expect(parseForm('a=x%0D%0Ay%0d%0a').get('a')).toBe('x\ny\n');
  expect(parseForm(`a=${'%0D%0A'.repeat(10_000)}`).get('a')).toBe('\n'.repeat(10_000));
});

it.each([
  ['too many names', named(501, (at) => `k${at}`)],
  ['a name repeated too often', named(100_000, () => 'k')],
  ['too many separators', '&'.repeat(100_000)],
  ['a value that is too long', `k=${'я'.repeat(10_001)}`],
])('rejects a form with %s', (_, text) => {
  expect(() => parseForm(text)).toThrow(InvalidInput);
});
