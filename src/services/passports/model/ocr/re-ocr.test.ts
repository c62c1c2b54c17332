import { expect, it } from 'vitest';
import { createDrawing } from '../../../../../test/support/ocr/drawing.ts';
import type { LineWord, OcrEngine } from './ocr-engine.ts';
import { cropWord, recognizeTwice } from './re-ocr.ts';

const word = (text: string, left = 0): LineWord => ({
  text,
  left,
  top: 0,
  right: left + 9,
  bottom: 9,
  confidence: 0.9,
});

it('recognizeTwice reads each word again, with its own image and line', async () => {
  const sizes: number[][] = [];
  const engine: OcrEngine = {
    name: 'test',
    recognize: async () => [[word('Плошадь'), { ...word('15', 20), right: 40 }], [word('7')]],
    readWords: async (images) => {
      sizes.push(images.map(({ width }) => width));
      return ['Площадь', '13', '7'].map((text) => ({ text, confidence: 0.99 }));
    },
  };
  const lines = [createDrawing(60, 20), createDrawing(60, 20)];
  const read = await recognizeTwice(engine, lines, new AbortController().signal);
  expect(read.map((line) => line.map(({ text }) => text))).toEqual([['Площадь', '13'], ['7']]);
  expect(sizes).toEqual([[17, 28, 17]]);
});

it('recognizeTwice reads the numbers of an English page again', async () => {
  const words = ['Gross', 'internal', 'floor', 'area', '142'];
  const engine: OcrEngine = {
    name: 'test',
    recognize: async () => [words.map((text) => word(text))],
    recognizeEnglish: async () => [words.map((text) => word(text))],
    readWords: async () => ['Gross', 'іnternаl', 'floor', 'агеа', '14.2'].map((text) => ({ text, confidence: 1 })),
  };
  const [read] = await recognizeTwice(engine, [createDrawing(60, 20)], new AbortController().signal);
  expect(read!.map(({ text }) => text)).toEqual(['Gross', 'internal', 'floor', 'area', '14.2']);
});

it('cropWord extends a box that ends inside a letter, or without one, to the next gap between words', () => {
  const line = createDrawing(60, 20).box(10, 5, 8, 10).box(20, 5, 8, 10).box(34, 5, 8, 10);
  const widthOf = (left: number, right: number, others: { left: number; right: number }[] = [], bottom = 15) =>
    cropWord(line, { left, right, top: 5, bottom }, others).width - 8;
  const next = [{ left: 34, right: 42 }];
  expect(widthOf(12, 25, next, 17)).toBe(28 - 10);
  expect(widthOf(20, 28, next)).toBe(28 - 10);
  expect(widthOf(20, 28, [{ left: 10, right: 18 }, ...next])).toBe(28 - 20);
  expect(widthOf(20, 28, [{ left: 28, right: 42 }])).toBe(28 - 10);
  // Small print has narrow gaps between words.
  expect(widthOf(20, 28, next, 9)).toBe(28 - 20);
  expect(widthOf(0, 60)).toBe(60);
});
