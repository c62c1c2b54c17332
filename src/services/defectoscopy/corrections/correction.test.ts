import { expect, test } from 'vitest';
import { problemOf } from './correction.ts';

const CLASSES = {
  surfaces: ['wall'],
  masters: { cracking: ['crack'], mechanical: ['chip'], sound: [] },
  sound: 'sound',
};
const DETECTED = { surface: 'wall', master: 'mechanical', defects: ['crack'] };

test('the labels of the result can always be confirmed', () => {
  expect(problemOf(DETECTED, DETECTED, CLASSES)).toBeUndefined();
  expect(problemOf({ ...DETECTED, surface: 'floor' }, { ...DETECTED, surface: 'floor' }, CLASSES)).toBeUndefined();
  expect(problemOf({ ...DETECTED, defects: ['chip', 'crack'] }, DETECTED, CLASSES)).toBeUndefined();
  expect(problemOf({ ...DETECTED, master: 'sound' }, DETECTED, CLASSES)).toContain('group of the first defect');
});

test('a version without a list of surfaces accepts any, others the detected one and their own', () => {
  const chosen = { surface: 'floor', master: 'cracking', defects: ['crack'] };
  expect(problemOf(chosen, DETECTED, CLASSES)).toBe('surface: unknown class.');
  expect(problemOf(chosen, { ...DETECTED, surface: 'floor' }, CLASSES)).toBeUndefined();
  expect(problemOf(chosen, DETECTED, { ...CLASSES, surfaces: [] })).toBeUndefined();
});
