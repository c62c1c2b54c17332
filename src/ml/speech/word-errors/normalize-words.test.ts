import { expect, test } from 'vitest';
import { normalizeWords } from './normalize-words.ts';

test.each([
  ['And so, my fellow Americans: ask NOT…', 'and so my fellow americans ask not'],
  ['A well-known “fact” [laughs] (applause)', 'a well known fact'],
  ['Uh, hmm, I think, um, yes', 'i think yes'],
  ["It's fine; we'll see, they don’t, I can't and won't.", 'it is fine we will see they do not i can not and will not'],
  ["o'clock", 'oclock'],
  ['Mr. Quilter vs. Dr. Grey', 'mister quilter versus doctor gray'],
  ['The U.S. at 5 p.m.', 'the us at 5 pm'],
  ['colour, honoured, our four hours', 'color honored our 4 hours'],
  ['organise the centre, analysed and travelled', 'organize the center analyzed and traveled'],
  ['twenty-one, two hundred and five; a thousand', '21 205 1000'],
  ['nineteen eighty-four, twenty twenty, nineteen oh five', '1984 2020 1905'],
  ['two thousand and twenty four', '2024'],
  ['1,250 people and 3 million', '1250 people and 3000000'],
  ['two point five million', '2500000'],
  ['2.3 million', '2300000'],
  ['room one oh one', 'room 101'],
  ['one, two, three', '123'],
  ['the twenty first, the 3rd, the hundredth', 'the 21st the 3rd the 100th'],
  ['$5.50, $2 million, 30%', '5.5 $ 2000000 $ 30 %'],
  ['five dollars, thirty per cent', '5 $ 30 %'],
  ['5kg and 3 metres', '5 kg and 3 m'],
  ['Forty instead of sixty. One | has a dent.', '40 instead of 60 1 has a dent'],
  ['salt and pepper, sand and five', 'salt and pepper sand and 5'],
  ['Ещё ёлка — кое-что', 'еще елка кое что'],
  ['шестьдесят тысяч тенге', '60000 ₸'],
  ['60 000 тенге', '60000 ₸'],
  ['двадцать пятого мая тысяча девятьсот восемьдесят четвёртого года', '25 мая 1984 г'],
  ['25-го мая 1984 г.', '25 мая 1984 г'],
  ['две целых и пять десятых процента', '2.5 %'],
  ['2,5 %', '2.5 %'],
  ['45 кв. м, т. е. сорок пять квадратных метров', '45 кв m то есть 45 кв m'],
  ['5 тыс. рублей и двумстам рублям', '5000 ₽ и 200 ₽'],
  ['полторы тысячи', '1500'],
  ['три, два, сто двадцать один', '32 121'],
  ['Straße, «été», Æ', 'straße été æ'],
  ['東京です', '東 京 で す'],
  ['…', ''],
  ['', ''],
])('normalizes %j', (text, words) => {
  expect(normalizeWords(text).join(' ')).toBe(words);
});

test('names of object properties are ordinary words', () => {
  expect(normalizeWords('constructor toString __proto__')).toEqual(['constructor', 'tostring', 'proto']);
});
