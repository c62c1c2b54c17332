import { afterAll, expect, it } from 'vitest';
import { renderPage } from '../../../../../test/support/ocr/form.ts';
import type { GrayImage } from './grayscale.ts';
import { openWordReader } from './word-reader.ts';

const reader = await openWordReader(1);
afterAll(() => reader.close());
const { signal } = new AbortController();

/** In PT Sans of 14 points at 200 dpi. */
const draw = (text: string): Promise<GrayImage> =>
  renderPage(
    {
      ...{ pageSize: { width: 16 + 9 * text.length, height: 22 }, pageMargins: [5, 1, 0, 0] },
      content: [{ text, fontSize: 14, noWrap: true }],
    },
    200,
  );

it('reads numbers and words of different lengths, in the order of their images', async () => {
  const numbers = ['17,3', '1986', '12.04.1987', '8,5', '46:12:0030405:17', '1204,75'];
  const words = ['Площадь', 'бетонные', 'кв.', 'Юрьева', '№12', '27Б'];
  const texts = [...numbers, ...words];
  const readings = await reader.read(await Promise.all(texts.map(draw)), signal);
  expect(readings.map(({ text }) => text)).toEqual(texts);
  expect(readings[1]!.confidence).toBeGreaterThan(0.9);
  expect(readings[1]!.confidence).toBeLessThanOrEqual(1);
});

it('reads nothing on white paper, and accepts no images', async () => {
  const white = { width: 3, height: 40, data: new Uint8Array(120).fill(255) };
  expect(await reader.read([white], signal)).toEqual([{ text: '', confidence: 0 }]);
  expect(await reader.read([], signal)).toEqual([]);
});

it('rejects an aborted request', async () => {
  await expect(reader.read([await draw('12')], AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
});
