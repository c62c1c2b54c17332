import { describe, expect, it } from 'vitest';
import { findNumberWords } from './number-words.ts';

const valuesIn = (text: string) => findNumberWords(text).map(({ value }) => value);

describe('findNumberWords', () => {
  it.each([
    ['одна тысяча двести', 1200],
    ['Шестьсот восемьдесят пять тысяч семьсот десять рублей', 685710],
    ['два миллиона сто одна тысяча три', 2101003],
    ['тысяча девятьсот семьдесят первого года', 1971],
    ['двухтысячный', 2000],
    ['в трёх этажах', 3],
    ['двадцатью пятью', 25],
    ['Sixty-four thousand five hundred', 64500],
    ['Three hundred and eighteen thousand three hundred and twenty-one', 318321],
    ['nineteen hundred and eighty-five', 1985],
    ['Twenty-eighth', 28],
    ['шестьдесят одна целая пять десятых', 61.5],
    ['сто семнадцать целых и сорок восемь сотых', 117.48],
    ['ноль целых двадцать пять тысячных', 0.025],
    ['sixty-one point two five', 61.25],
    ['двенадцатиэтажное', 12],
    ['двадцатипятиэтажный', 25],
    ['трёхкомнатная', 3],
    ['Thirty-storey', 30],
  ])('reads %s as %d', (text, value) => expect(valuesIn(text)).toEqual([value]));

  it('separates numbers that do not continue each other', () => {
    expect(valuesIn('пять десять')).toEqual([5, 10]);
    expect(valuesIn('двадцать, пять')).toEqual([20, 5]);
    expect(valuesIn('второй и третий')).toEqual([2, 3]);
  });

  it('returns the position of the number', () => {
    expect(findNumberWords('на двадцать первом этаже')).toEqual([{ value: 21, start: 3, end: 18 }]);
  });

  it.each(['первичная', 'семья', 'пятно', 'тысяч', 'hundred', 'одинаковый'])('does not find a number in %s', (text) =>
    expect(valuesIn(text)).toEqual([]),
  );
});
