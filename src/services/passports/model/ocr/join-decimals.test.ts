import { expect, it } from 'vitest';
import { joinDecimals } from './join-decimals.ts';

const word = (text: string, left: number) => ({
  ...{ text, left, right: left + 10 * text.length, top: 0, bottom: 20 },
  confidence: text.length / 10,
});

it.each([
  ['a decimal', [word('15,', 0), word('96', 39)], ['15,96']],
  ['thousands', [word('£118,', 0), word('000', 58)], ['£118,000']],
  ['a decimal after its label', [word('площадь,', 0), word('15,', 90), word('96', 129)], ['площадь,', '15,96']],
  ['two decimals of a formula', [word('6,', 0), word('10х4,', 28), word('20', 86)], ['6,10х4,20']],
])('joins the parts of %s', (_, line, texts) => {
  expect(joinDecimals(line).map(({ text }) => text)).toEqual(texts);
});

it('gives a joined number the box of both parts and the lower confidence', () => {
  expect(joinDecimals([word('15,', 0), word('96', 39)])).toEqual([
    { text: '15,96', left: 0, right: 59, top: 0, bottom: 20, confidence: 0.2 },
  ]);
});

it.each([
  ['a list', [word('2,', 0), word('3,', 26), word('4', 52)]],
  ['numbers of two columns', [word('15,', 0), word('96', 50)]],
  ['a number of a list and a date', [word('3.', 0), word('12.05.1987', 26)]],
  ['a date and a year', [word('1981,', 0), word('1985', 55)]],
  ['house and flat of a street', [word('ул.', 0), word('Ленина,', 40), word('12,', 120), word('45', 159)]],
  ['house and flat after a name', [word('Ленина,', 40), word('12,', 120), word('45', 159)]],
  ['house and flat after their label', [word('д.', 90), word('12,', 120), word('45', 159)]],
  ['house and flat', [word('д.5,', 0), word('кв.', 45), word('12', 80)]],
])('keeps %s apart', (_, line) => {
  expect(joinDecimals(line)).toEqual(line);
});
