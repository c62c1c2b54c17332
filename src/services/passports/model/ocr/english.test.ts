import { expect, it } from 'vitest';
import { createDrawing } from '../../../../../test/support/ocr/drawing.ts';
import { isCyrillic, recognizeInPageLanguage } from './english.ts';
import type { LineWord, OcrEngine } from './ocr-engine.ts';

const words = (text: string, confidence = 0.9): LineWord[] =>
  text.split(' ').map((word) => ({ text: word, left: 0, top: 0, right: 9, bottom: 9, confidence }));
const texts = (lines: readonly (readonly LineWord[])[]) => lines.map((line) => line.map(({ text }) => text).join(' '));

/** An engine with fixed readings. */
function createEngine(all: LineWord[][], english: LineWord[][]) {
  const calls: string[] = [];
  const answer = (name: string, read: LineWord[][]) => async () => {
    calls.push(name);
    return read;
  };
  const engine: OcrEngine = {
    name: 'test',
    readWords: async () => [],
    recognize: answer('all', all),
    recognizeEnglish: answer('english', english),
  };
  return { engine, calls };
}

const lines = [createDrawing(9, 9)];
const { signal } = new AbortController();

it('recognizeInPageLanguage recognizes an English page again and keeps its Russian lines', async () => {
  const { engine, calls } = createEngine(
    [words('Number оп storeys'), words('Год постройки', 0.95), words('Wall material Brick')],
    [words('Number of storeys'), words('Fox noctpoiku', 0.7), words('Wall material Brick')],
  );
  const read = await recognizeInPageLanguage(engine, lines, signal);
  expect(texts(read.words)).toEqual(['Number of storeys', 'Год постройки', 'Wall material Brick']);
  expect(calls).toEqual(['all', 'english']);
  expect(read.isEnglish).toBe(true);
});

it('recognizeInPageLanguage recognizes a Russian page once', async () => {
  const { engine, calls } = createEngine([words('Площадь застройки PVC')], []);
  const read = await recognizeInPageLanguage(engine, lines, signal);
  expect(texts(read.words)).toEqual(['Площадь застройки PVC']);
  expect(calls).toEqual(['all']);
  expect(read.isEnglish).toBe(false);
});

it('isCyrillic requires several letters without a Latin twin, and the higher confidence', () => {
  expect(isCyrillic(words('Материал стен'), words('Matepnan cteH', 0.6))).toBe(true);
  expect(isCyrillic(words('СЕН. HTM'), words('CEIL. HTM', 0.7))).toBe(false);
  expect(isCyrillic(words('ведгоот', 0.5), words('bedroom'))).toBe(false);
});
