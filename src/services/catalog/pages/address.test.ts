import { expect, it } from 'vitest';
import { addressOf, changed, stateOf } from './address.ts';

it('keeps known query parameters and returns to the first page when a filter changes', () => {
  const state = stateOf({ q: 'трещина', page: 3, upto: 17, view: 'table', status: '', other: 'x' });
  expect(state).toEqual({ q: 'трещина', page: '3', upto: '17', view: 'table' });
  expect(Object.fromEntries(new URLSearchParams(changed(state, { defect: 'crack' })))).toEqual({
    ...{ q: 'трещина', defect: 'crack', view: 'table' },
  });
  expect(changed(state, { q: null, view: null })).toBe('');
  expect(changed(state, { page: '4' })).toContain('upto=17');
  expect(addressOf('')).toBe('./');
});
