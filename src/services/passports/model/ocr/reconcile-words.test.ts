import { describe, expect, it } from 'vitest';
import { reconcileWords } from './reconcile-words.ts';

const reconcile = (text: string, second: string, { first = 0.9, confidence = 0.97, isEnglish = false } = {}) =>
  reconcileWords(
    { text, left: 0, top: 0, right: 9, bottom: 9, confidence: first },
    { text: second, confidence },
    isEnglish,
  );
const isKept = ([text, second]: readonly [string, string], options = {}) => {
  return reconcile(text, second, { first: 0.7, ...options }).text === text;
};

describe('reconcileWords', () => {
  it('corrects a letter of a Cyrillic word, with the confidence of the second reading', () => {
    expect(reconcile('Плошадь:', 'Площадь:')).toMatchObject({ text: 'Площадь:', confidence: 0.97 * 0.95 });
    expect(reconcile('керамзиторлоки', 'керамзитоблоки').text).toBe('керамзитоблоки');
    expect(reconcile('(6етонные),', '(бетонные).').text).toBe('(бетонные),');
  });

  it('corrects a number, also on an English page', () => {
    expect(reconcile('142', '14,2').text).toBe('14,2');
    expect(reconcile('142м', '14,2м').text).toBe('14,2м');
    expect(reconcile('142', '14,2', { isEnglish: true }).text).toBe('14,2');
  });

  it('keeps a word whose second reading is uncertain, less sure, of another length, or another word', () => {
    const pairs = [
      ['ПОМЕЩЕНИИ', 'ПОМЕЩЕНИ'],
      ['стены', 'крыша'],
      ['остояние', 'Состояние'],
      ['кв.23', 'кв 23'],
      ['домик', 'до ик'],
      ['домик.', 'домик,'],
      ['лист', '12,5'],
      ['тіл', 'тип'],
    ] as const;
    expect(pairs.filter((pair) => !isKept(pair, { confidence: 0.93 }))).toEqual([]);
    expect(reconcile('Плошадь', 'Площадь', { confidence: 0.89, first: 0.5 }).text).toBe('Плошадь');
    expect(reconcile('разрешения', 'разревения', { first: 0.97, confidence: 0.96 }).text).toBe('разрешения');
  });

  it('keeps capitals, `е` for `ё`, dashes, and letters that look alike in both alphabets', () => {
    const pairs = [
      ['КЛЕТКА', 'клетка'],
      ['Семёнова', 'Семенова'],
      ['1–2', '1-2'],
      ['ВСЕ', 'BCE'],
      ['г.', 'r.'],
    ] as const;
    expect(pairs.filter((pair) => !isKept(pair))).toEqual([]);
  });

  it('raises the confidence of readings that agree, and lowers that of a doubtful word that differs', () => {
    const confidence = (text: string, second: string, options = {}) => reconcile(text, second, options).confidence;
    expect(confidence('стены', 'Стены', { first: 0.7, confidence: 0.8 })).toBeCloseTo(0.94);
    expect(confidence('wall', 'wall', { first: 0.9, isEnglish: true })).toBe(0.97);
    expect(confidence('17,3', '17,3', { first: 0.99 })).toBe(0.99);
    expect(confidence('стены', 'крыша', { first: 0.9 })).toBe(0.55);
    expect(confidence('стены', 'крыша', { first: 0.95 })).toBe(0.95);
    expect(confidence('18-6', '18-6', { first: 0.96, confidence: 0.6 })).toBe(0.6);
    expect(confidence('—', '', { first: 0.6 })).toBe(0.6);
    expect(confidence('стены', 'крыша', { first: 0.9, confidence: 0.6 })).toBe(0.9);
    expect(confidence('м²', 'м³', { first: 0.6, confidence: 0.9 })).toBe(0.55);
    expect(confidence('10665,00', '10665.00', { first: 0.86 })).toBe(0.86);
    expect(confidence('2016', '2016', { first: 0.9 })).toBe(0.9);
    expect(confidence('24', '24', { first: 0.1 })).toBe(0.1);
  });

  it('corrects initials that the second reading is sure of', () => {
    expect(reconcile('10.', 'Ю.').text).toBe('Ю.');
    expect(reconcile('Юю.', 'Ю.').text).toBe('Ю.');
    expect(reconcile('С.А.', 'С.Я.')).toMatchObject({ text: 'С.Я.', confidence: 0.97 * 0.95 });
    const pairs = [
      ['3.', 'З.'],
      ['0.', 'О.'],
      ['дом.', 'Д.'],
      ['Ю', 'Ю.'],
      ['1985.', 'Ю.'],
      ['II.', 'П.'],
      ['12.', 'Г.'],
      ['г.', 'Г.'],
      ['кв.', 'К.'],
      ['А,', 'А.'],
      ['(А.', 'Л.'],
    ] as const;
    expect(pairs.filter(([first, second]) => reconcile(first, second).text !== first)).toEqual([]);
    expect(reconcile('г.', 'Г.', { confidence: 0.82 }).text).toBe('г.');
    expect(reconcile('10.', 'Ю.', { isEnglish: true }).text).toBe('10.');
  });

  it('corrects a letter after a number', () => {
    expect(reconcile('18-6', '18-б', { confidence: 0.6 })).toMatchObject({ text: '18-б', confidence: 0.6 * 0.95 });
    expect(reconcile('485,', '48Б,').text).toBe('48Б,');
    expect(reconcile('(Зба)', '36а', { confidence: 0.99 }).text).toBe('(36а)');
    expect(reconcile('2047', '204Г').text).toBe('204Г');
    expect(reconcile('1296-2Н,', '129Б-2Н').text).toBe('129Б-2Н,');
    expect(reconcile('23-6uc/508', '23-бис/508').text).toBe('23-бис/508');
    const pairs = [
      ['18-7', '92-б'],
      ['1985', '198Бг'],
      ['14', 'Тв'],
      ['За', '3а'],
      ['бетон', '6етон'],
      ['3-й', '3-и'],
      ['12в', '12В'],
      ['12.05.2016', '12.05.201б'],
      ['1-3', '1-З'],
      ['17м2', '17мг'],
      ['З.В.', '3.В.'],
      ['2,6', '2,б'],
      ['18-а', '18-а'],
    ] as const;
    expect(pairs.filter(([first, second]) => reconcile(first, second).text !== first)).toEqual([]);
    expect(reconcile('236', '23б', { confidence: 0.85 }).text).toBe('236');
    expect(reconcile('236', '23б', { isEnglish: true }).text).toBe('236');
  });

  it('replaces words with letters that no language of the product has', () => {
    expect(reconcile('еј', 'с').text).toBe('с');
    expect(reconcile('еј', 'с', { confidence: 0.8 }).text).toBe('еј');
  });

  it('keeps short words, words in Latin letters, options and remains of rules', () => {
    const pairs = [
      ['не', 'на'],
      ['Total', 'Тотал'],
      ['wall', 'жалл'],
      ['[X]', '(X)'],
      ['{', '('],
      ['☑', '0'],
      ['~', '1'],
      ['____', '1234'],
    ] as const;
    expect(pairs.filter((pair) => !isKept(pair, { first: 0.7, confidence: 0.94 }))).toEqual([]);
    const always = pairs.slice(2);
    expect(always.filter((pair) => !isKept(pair, { confidence: 1 }))).toEqual([]);
  });

  it('keeps the words of an English page', () => {
    const pairs = [
      ['Плошадь', 'Площадь'],
      ['3', '8'],
      ['ot', 'of'],
    ] as const;
    expect(pairs.filter((pair) => !isKept(pair, { isEnglish: true, confidence: 1 }))).toEqual([]);
  });

  it('replaces a single character with a sure reading, and keeps what stands around it', () => {
    expect(reconcile('з', '3').text).toBe('3');
    expect(reconcile('8.', '3,').text).toBe('3.');
    expect(reconcile('3', 'з').text).toBe('3');
    expect(reconcile('б)', '6)').text).toBe('б)');
    expect(reconcile('8', '3', { confidence: 0.94 }).text).toBe('8');
    expect(reconcile('7', '17').text).toBe('7');
  });

  it('replaces a doubtful word with a sure reading of the same length', () => {
    expect(reconcile('1@1H', '101Н', { first: 0.7 }).text).toBe('101Н');
    expect(reconcile('1@1H', '101Н').text).toBe('1@1H');
    expect(reconcile('1@1H', '101Н', { first: 0.7, confidence: 0.94 }).text).toBe('1@1H');
    expect(reconcile('м?', 'м²', { first: 0.7 }).text).toBe('м²');
  });
});
