import { describe, expect, it } from 'vitest';
import { reconcileWords } from './reconcile-words.ts';

interface Options {
  /** Confidence of Tesseract. */
  readonly first?: number;
  /** Confidence of the second reading. */
  readonly second?: number;
  readonly isEnglish?: boolean;
}

const reconcile = (text: string, other: string, { first = 0.9, second = 0.97, isEnglish = false }: Options = {}) =>
  reconcileWords(
    { text, left: 0, top: 0, right: 9, bottom: 9, confidence: first },
    { text: other, confidence: second },
    isEnglish,
  );

/** The pairs of which the second text is taken. */
const replaced = (pairs: readonly (readonly [string, string])[], options?: Options) =>
  pairs.filter(([text, other]) => reconcile(text, other, options).text === other);

describe('reconcileWords', () => {
  it('takes a confident second reading, with its confidence', () => {
    expect(reconcile('Плошадь:', 'Площадь:')).toMatchObject({ text: 'Площадь:', confidence: 0.97 * 0.95 });
    const pairs = [
      ['142', '14,2'],
      ['18-6', '18-б'],
      ['10.', 'Ю.'],
      ['С.А.', 'С.Я.'],
      ['еј', 'с'],
      ['nuct', 'лист'],
      ['з', '3'],
      ['1@1H', '101Н'],
      ['> ', '3'],
    ] as const;
    expect(replaced(pairs)).toEqual(pairs);
  });

  it('requires more confidence the more confident Tesseract is', () => {
    const pair = [['стены', 'степы']] as const;
    const taken = (first: number, second: number) => replaced(pair, { first, second }).length > 0;
    expect([taken(0.96, 0.89), taken(0.96, 0.91)]).toEqual([false, true]);
    expect([taken(0.85, 0.69), taken(0.85, 0.71)]).toEqual([false, true]);
    expect([taken(0.3, 0.49), taken(0.3, 0.51)]).toEqual([false, true]);
  });

  it('takes a reading with a character more or less only where the confidence of Tesseract is low: boxes cut words off', () => {
    const pairs = [
      ['Износ', 'Изно'],
      ['125', '1250'],
      ['каб.', 'каб'],
    ] as const;
    expect(replaced(pairs, { first: 0.85, second: 1 })).toEqual([]);
    expect(replaced(pairs, { first: 0.5, second: 1 })).toEqual(pairs);
    expect(replaced(pairs, { first: 0.5, second: 0.94 })).toEqual([]);
    expect(replaced([['2,87', '2']], { first: 0.5, second: 1 })).toEqual([]);
  });

  it('takes no reading with a letter of the word beside it', () => {
    const pairs = [
      ['and', 'p an'],
      ['School', 'School s'],
    ] as const;
    expect(replaced(pairs, { first: 0.3, second: 1 })).toEqual([]);
    const separated = [
      ['вдоне', 'в доме'],
      ['h2.6O', 'h 2.60'],
    ] as const;
    expect(replaced(separated, { first: 0.3, second: 1 })).toEqual(separated);
  });

  it('keeps the signs of options and blanks, and figures that look like letters', () => {
    const pairs = [
      ['[X]', '(X)'],
      ['{', '('],
      ['☑', '0'],
      ['____', '1234'],
      ['стены', '—'],
      ['3', 'з'],
      ['0', 'О'],
      ['6)', 'б)'],
      ['«Обл.', '«0бл.'],
      ['изба', 'из6а'],
      ['по', 'п0'],
      ['30', 'ЗО'],
      ['14,2', '142'],
      ['5', '[5'],
      ['стены', ''],
    ] as const;
    expect(replaced(pairs, { first: 0.4, second: 1 })).toEqual([]);
  });

  it('keeps dashes, `е` for `ё`, and letters that look alike in both alphabets', () => {
    const pairs = [
      ['Семёнова', 'Семенова'],
      ['1–2', '1-2'],
      ['ВСЕ', 'BCE'],
    ] as const;
    expect(replaced(pairs)).toEqual([]);
  });

  it('writes the words of an English page in Latin letters, and takes no Russian words there', () => {
    expect(reconcile('Ar8a', 'Аrеа', { isEnglish: true }).text).toBe('Area');
    expect(reconcile('wall', 'шалл', { isEnglish: true }).text).toBe('wall');
    expect(reconcile('степа', 'стена', { isEnglish: true }).text).toBe('стена');
  });

  it('raises the confidence of words that both read alike', () => {
    const confidence = (text: string, options: Options) => reconcile(text, text, options).confidence;
    expect(confidence('стены', { first: 0.7, second: 0.8 })).toBeCloseTo(0.94);
    expect(confidence('wall', { first: 0.9, isEnglish: true })).toBe(0.97);
    expect(confidence('17,3', { first: 0.99 })).toBe(0.99);
    expect(confidence('7', { first: 0.6 })).toBe(0.6);
    expect(confidence('24', { first: 0.1 })).toBe(0.1);
  });

  it('lowers the confidence of words whose second reading differs, but not only in punctuation', () => {
    expect(reconcile('/', 'l', { first: 0.93, second: 0.6 })).toMatchObject({ text: '/', confidence: 0.93 });
    const confidence = (other: string, second: number) => reconcile('стены', other, { first: 0.95, second }).confidence;
    expect([confidence('степы', 0.8), confidence('степы', 0.6)]).toEqual([0.55, 0.85]);
    expect([confidence('стен', 1), confidence('Стены', 0.8)]).toEqual([0.95, 0.95]);
    expect(reconcile('21,', '21', { second: 1 })).toMatchObject({ text: '21,', confidence: 0.9 });
  });

  it('lowers the confidence of figures whose digits or decimal separator the second reading lacks or adds', () => {
    const confidence = (text: string, other: string) => reconcile(text, other, { first: 0.95, second: 0.8 }).confidence;
    const differ = [
      ['14,2', '142'],
      ['125', '1250'],
      ['2,87', '2'],
      ['9', '9,02'],
      ['кв.15', 'кв.1'],
    ] as const;
    expect(differ.map(([text, other]) => confidence(text, other))).toEqual(differ.map(() => 0.55));
    const alike = [
      ['21,', '21'],
      ['30', 'ЗО'],
      ['№15', '15'],
    ] as const;
    expect(alike.map(([text, other]) => confidence(text, other))).toEqual(alike.map(() => 0.95));
  });

  it('takes another letter case only with some confidence', () => {
    expect(replaced([['до', 'дО']], { first: 0.79, second: 0.64 })).toEqual([]);
    expect(replaced([['снилс', 'СНИЛС']], { first: 0.79, second: 0.8 })).toHaveLength(1);
  });
});
