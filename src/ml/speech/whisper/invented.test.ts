import { expect, test } from 'vitest';
import { isInvented } from './invented.ts';

test.each([
  'Субтитры сделал DimaTorzok',
  'Редактор субтитров А.Семкин Корректор А.Егорова',
  'Untertitel im Auftrag des ZDF, 2021',
  'Sous-titrage Société Radio-Canada',
  'Subtitles by the Amara.org community',
])('credits of subtitlers are never said: %s', (credit) => {
  expect(isInvented(credit, 0)).toBe(true);
});

test('thanks and goodbyes are believed where somebody speaks, and not where it is doubtful', () => {
  for (const farewell of ['Thank you.', 'Thanks for watching!', 'Продолжение следует...', 'you']) {
    expect(isInvented(farewell, 0.1), farewell).toBe(false);
    expect(isInvented(farewell, 0.6), farewell).toBe(true);
  }
});

test('other sentences are believed in any case', () => {
  for (const sentence of ['Thank you for the report.', 'Субтитры были готовы.', 'You are right.']) {
    expect(isInvented(sentence, 0.9), sentence).toBe(false);
  }
});
