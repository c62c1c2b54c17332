import { describe, expect, it } from 'vitest';
import { createDrawing } from '../../../../../test/support/ocr/drawing.ts';
import { type LineWord, type OcrEngine, OcrTimeout } from './ocr-engine.ts';
import { cropWord, recognizeTwice, reconcileLetters } from './re-ocr.ts';

const word = (text: string, confidence = 0.95): LineWord => ({
  text,
  left: 0,
  top: 0,
  right: 9,
  bottom: 9,
  confidence,
});
it('recognizeTwice reads each word again, and replaces no short word with a longer one', async () => {
  const sizes: number[][] = [];
  const engine: OcrEngine = {
    name: 'test',
    recognize: async () => [[{ ...word('Площадь') }, { ...word('15'), left: 20, right: 40 }], [word('7')]],
    recognizeRussian: async () => [],
    recognizeEnglish: async () => [],
    readWords: async (images) => {
      if (images.length > 0) sizes.push(images.map(({ width }) => width));
      return images.map(() => ({ text: '13', confidence: 1 }));
    },
  };
  const read = await recognizeTwice(
    engine,
    [createDrawing(60, 20), createDrawing(60, 20)],
    new AbortController().signal,
  );
  expect(read.map((line) => line.map(({ text }) => text))).toEqual([['Площадь', '13'], ['7']]);
  expect(sizes).toEqual([[17, 28, 17]]);
});

it('recognizeTwice keeps a corrected number that has Latin letters', async () => {
  const engine: OcrEngine = {
    name: 'test',
    recognize: async () => [[word('Площадь'), word('помещения'), word('No142')]],
    recognizeRussian: async (images) => images.map(() => [word('листа')]),
    recognizeEnglish: async () => [],
    readWords: async (images) => images.map(() => ({ text: 'No14,2', confidence: 1 })),
  };
  const [read] = await recognizeTwice(engine, [createDrawing(60, 20)], new AbortController().signal);
  expect(read!.at(-1)!.text).toBe('No14,2');
});

it('recognizeTwice reads the numbers of an English page again, also without a Russian model', async () => {
  const text = ['Gross', 'internal', 'floor', 'area', '142'].map((one) => word(one));
  const engine: OcrEngine = {
    name: 'test',
    recognize: async () => [text],
    readWords: async (images) => images.map(() => ({ text: '14.2', confidence: 1 })),
  };
  const [read] = await recognizeTwice(engine, [createDrawing(60, 20)], new AbortController().signal);
  expect(read!.at(-1)!.text).toBe('14.2');
});

it('recognizeTwice keeps the first reading if the second one times out', async () => {
  const engine: OcrEngine = {
    name: 'test',
    readWords: async (images) => images.map(() => ({ text: '', confidence: 0 })),
    recognize: async () => [[word('Площадь'), word('nuct'), word('15')]],
    recognizeEnglish: async () => [],
    recognizeRussian: async () => Promise.reject(new OcrTimeout(1)),
  };
  const [read] = await recognizeTwice(engine, [createDrawing(60, 20)], new AbortController().signal);
  expect(read!.map(({ text }) => text)).toEqual(['Площадь', 'nuct', '15']);
});

it('cropWord extends a box that ends inside a letter to the next gap', () => {
  const line = createDrawing(60, 20).box(10, 5, 8, 10).box(20, 5, 8, 10).box(32, 5, 8, 10);
  expect(cropWord(line, { left: 12, right: 25 }).width).toBe(28 - 10 + 8);
  expect(cropWord(line, { left: 0, right: 60 }).width).toBe(60 + 8);
});

describe('reconcileLetters', () => {
  const letters = (text: string, second: string, confidence = 0.5) =>
    reconcileLetters(word(text, 0.9), [word(second, confidence)]).text;

  it('replaces a word in Latin letters with its Russian reading, and keeps its punctuation', () => {
    expect(letters('nuct', 'лист')).toBe('лист');
    expect(letters('CHOCOM,', '‚сносом,')).toBe('сносом,');
    expect(letters('xo3cnoco6', 'хозспособ.')).toBe('хозспособ');
    expect(letters('FO.', 'Ю.')).toBe('Ю.');
  });

  it('keeps a word whose Russian reading is uncertain, no word, or of another length', () => {
    expect(letters('Excel', 'Ехсе', 0.1)).toBe('Excel');
    expect(letters('Oe', '#1;')).toBe('Oe');
    expect(letters('ya', 'г. | одной')).toBe('ya');
    expect(letters('Il.', 'и.')).toBe('Il.');
    expect(reconcileLetters(word('ab'), [])).toEqual(word('ab'));
  });
});

it('recognizeTwice reads words in Latin letters of a Russian page again, but no Roman numbers', async () => {
  const line = ['Технический', 'nuct', '18.VI.1968', 'IV', 'М'].map((text) => word(text));
  let again = 0;
  const engine: OcrEngine = {
    name: 'test',
    readWords: async (images) => images.map(() => ({ text: '', confidence: 0 })),
    recognize: async () => [line],
    recognizeEnglish: async () => [],
    recognizeRussian: async (images) => {
      again = images.length;
      return images.map(() => [word('лист')]);
    },
  };
  const [read] = await recognizeTwice(engine, [createDrawing(60, 20)], new AbortController().signal);
  expect(read!.map(({ text }) => text)).toEqual(['Технический', 'лист', '18.VI.1968', 'IV', 'М']);
  expect(again).toBe(1);
});
