import { expect, it } from 'vitest';
import { parseSearchState, queryWith, searchUrl } from './search-url.ts';

it('keeps known query parameters and returns to the first page when a filter changes', () => {
  const state = parseSearchState({
    q: 'трещина',
    page: 3,
    upto: 17,
    view: 'table',
    not_defect: ['a', 'b'],
    other: 'x',
  });
  expect(state).toEqual({ q: ['трещина'], page: ['3'], upto: ['17'], view: ['table'], not_defect: ['a', 'b'] });
  const changed = queryWith(state, { defect: ['crack', 'spall'], not_defect: ['a'] });
  expect([...new URLSearchParams(changed)]).toEqual([
    ...[
      ['q', 'трещина'],
      ['defect', 'crack'],
      ['defect', 'spall'],
      ['not_defect', 'a'],
      ['view', 'table'],
    ],
  ]);
  expect(queryWith(state, { q: null, view: null, not_defect: [] })).toBe('');
  expect(queryWith(state, { page: '4' })).toContain('upto=17');
  expect(searchUrl('')).toBe('./');
});
