import { expect, it } from 'vitest';
import { parseSearchState, queryWith, searchUrl } from './search-url.ts';

it('keeps known query parameters and returns to the first page when a filter changes', () => {
  const state = parseSearchState({ q: 'трещина', page: 3, upto: 17, view: 'table', status: '', other: 'x' });
  expect(state).toEqual({ q: 'трещина', page: '3', upto: '17', view: 'table' });
  expect(Object.fromEntries(new URLSearchParams(queryWith(state, { defect: 'crack' })))).toEqual({
    ...{ q: 'трещина', defect: 'crack', view: 'table' },
  });
  expect(queryWith(state, { q: null, view: null })).toBe('');
  expect(queryWith(state, { page: '4' })).toContain('upto=17');
  expect(searchUrl('')).toBe('./');
});
