import { expect, test } from 'vitest';
import { isHallucination } from './hallucination-filter.ts';

test.each([
  'Субтитры сделал DimaTorzok',
  'Редактор субтитров А.Семкин Корректор А.Егорова',
  'Untertitel im Auftrag des ZDF, 2021',
  'Sous-titrage Société Radio-Canada',
  'Subtitles by the Amara.org community',
])('isHallucination is always true for subtitle credits: %s', (credit) => {
  expect(isHallucination(credit, 0)).toBe(true);
});

test('isHallucination is true for farewells only with a high no-speech probability', () => {
  for (const farewell of ['Thank you.', 'Thanks for watching!', 'Продолжение следует...', 'you']) {
    expect(isHallucination(farewell, 0.1), farewell).toBe(false);
    expect(isHallucination(farewell, 0.6), farewell).toBe(true);
  }
});

test('isHallucination is false for other sentences', () => {
  for (const sentence of ['Thank you for the report.', 'Субтитры были готовы.', 'You are right.']) {
    expect(isHallucination(sentence, 0.9), sentence).toBe(false);
  }
});
