import { expect, it } from 'vitest';
import { newId } from './ids.ts';

it('newId creates unique ids of 26 base32 characters that sort by time', () => {
  const ids = Array.from({ length: 20_000 }, () => newId());
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(id))).toBe(true);
  expect(newId('whd_')).toMatch(/^whd_[0-9A-Z]{26}$/);
  const moments = [0, 1, 31, 32, 1_700_000_000_000, 1_700_000_000_001, 2 ** 48 - 1];
  const timed = moments.map((moment) => newId('', moment).slice(0, 10));
  expect(timed).toEqual([...timed].sort());
});
