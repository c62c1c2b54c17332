import { expect, it } from 'vitest';
import { parseRange } from './range-header.ts';

const of = (range: string | undefined, ifRange?: string) => parseRange({ range, ifRange }, { size: 100, etag: '"a"' });

it.each([
  ['bytes=0-9', { start: 0, end: 9 }],
  ['bytes=90-', { start: 90, end: 99 }],
  ['bytes=90-1000', { start: 90, end: 99 }],
  ['bytes=-10', { start: 90, end: 99 }],
  ['bytes=-1000', { start: 0, end: 99 }],
  ['bytes = 0 - 0', { start: 0, end: 0 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
])('the range %s is parsed or unsatisfiable', (range, part) => {
  expect(of(range)).toEqual(part);
});

it.each([undefined, '', 'bytes=-', 'bytes=9-0', 'bytes=0-1,5-6', 'lines=0-9', 'bytes=a-b', '0-9'])(
  'the range %s is ignored',
  (range) => {
    expect(of(range)).toBeUndefined();
  },
);

it('a range is ignored if If-Range does not match', () => {
  expect(of('bytes=0-9', '"b"')).toBeUndefined();
  expect(of('bytes=0-9', '"a"')).toEqual({ start: 0, end: 9 });
});

it('every range of an empty body is unsatisfiable', () => {
  expect(parseRange({ range: 'bytes=0-', ifRange: undefined }, { size: 0, etag: '"a"' })).toBe('unsatisfiable');
});
