import { describe, expect, it } from 'vitest';
import { createDrawing } from '../../../../../test/support/ocr/drawing.ts';
import { type LineWord, type OcrEngine, OcrTimeout } from './ocr-engine.ts';
import { cropWord, recognizeTwice, reconcileFigures, reconcileLetters } from './re-ocr.ts';

const word = (text: string, confidence = 0.95): LineWord => ({
  text,
  left: 0,
  top: 0,
  right: 9,
  bottom: 9,
  confidence,
});
const reconcile = (text: string, second: string, confidence = 0.9) => {
  const result = reconcileFigures(
    word(text),
    second.split(' ').map((part) => word(part, confidence)),
  );
  return [result.text, result.confidence];
};

describe('reconcileFigures', () => {
  it('keeps a word whose figures are read twice', () => {
    expect(reconcile('17,3', '17,3')).toEqual(['17,3', 0.95]);
    expect(reconcile('12.04.1987г.', '12.04 1987r.')).toEqual(['12.04.1987г.', 0.95]);
    expect(reconcile('10а', 'lOa')).toEqual(['10а', 0.95]);
  });

  it('replaces a 5 that is read as a 3, and lowers the confidence', () => {
    expect(reconcile('25,5м', '23,5m')).toEqual(['23,5м', 0.55]);
    expect(reconcile('1:5513', '1:3313', 0.2)).toEqual(['1:3313', 0.55]);
  });

  it('replaces an oblique 1 that was read as a slash', () => {
    expect(reconcile('/954', '1954')).toEqual(['1954', 0.95]);
    expect(reconcile('/8,3', '18,3')).toEqual(['18,3', 0.95]);
    expect(reconcile('16,/', '16,1')).toEqual(['16,1', 0.95]);
    expect(reconcile('5/9', '519')).toEqual(['5/9', 0.55]);
    expect(reconcile('/8', '8')).toEqual(['/8', 0.95]);
  });

  it('lowers the confidence of other differences', () => {
    expect(reconcile('25,5', '26,3')).toEqual(['25,5', 0.55]);
    expect(reconcile('3,1', '5,1')).toEqual(['3,1', 0.55]);
    expect(reconcile('15', '1 317')).toEqual(['15', 0.55]);
  });

  it('ignores an uncertain or missing second reading', () => {
    expect(reconcile('25,5', '26,5', 0.3)).toEqual(['25,5', 0.95]);
    expect(reconcileFigures(word('25,5'), [])).toEqual(word('25,5'));
  });
});

it('recognizeTwice reads only words with confusable figures again', async () => {
  const sizes: number[][] = [];
  const engine: OcrEngine = {
    name: 'test',
    confusableFigures: /5/u,
    recognize: async () => [[{ ...word('Площадь') }, { ...word('15'), left: 20, right: 40 }], [word('17')]],
    recognizeRussian: async () => [],
    recognizeEnglish: async (lines) => {
      sizes.push(lines.map(({ width }) => width));
      return lines.map(() => [word('13')]);
    },
    close: async () => {},
  };
  const read = await recognizeTwice(
    engine,
    [createDrawing(60, 20), createDrawing(60, 20)],
    new AbortController().signal,
  );
  expect(read.map((line) => line.map(({ text }) => text))).toEqual([['Площадь', '13'], ['17']]);
  expect(sizes).toEqual([[28]]);
});

it('recognizeTwice keeps the first reading if the second one times out', async () => {
  const engine: OcrEngine = {
    name: 'test',
    confusableFigures: /5/u,
    recognize: async () => [[word('Площадь'), word('nuct'), word('15')]],
    recognizeEnglish: async () => Promise.reject(new OcrTimeout(1)),
    recognizeRussian: async () => Promise.reject(new OcrTimeout(1)),
    close: async () => {},
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
    confusableFigures: /5/u,
    recognize: async () => [line],
    recognizeEnglish: async () => [],
    recognizeRussian: async (images) => {
      again = images.length;
      return images.map(() => [word('лист')]);
    },
    close: async () => {},
  };
  const [read] = await recognizeTwice(engine, [createDrawing(60, 20)], new AbortController().signal);
  expect(read!.map(({ text }) => text)).toEqual(['Технический', 'лист', '18.VI.1968', 'IV', 'М']);
  expect(again).toBe(1);
});
