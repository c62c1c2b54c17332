import sharp from 'sharp';
import { afterAll, expect, it } from 'vitest';
import { openFigureReader } from './figure-reader.ts';
import type { GrayImage } from './grayscale.ts';

const reader = await openFigureReader(1);
afterAll(() => reader.close());
const { signal } = new AbortController();

async function draw(text: string): Promise<GrayImage> {
  const width = 30 + 20 * text.length;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="48"><rect width="100%" height="100%" fill="white"/>
    <text x="12" y="36" font-family="DejaVu Sans" font-size="30">${text}</text></svg>`;
  const { data, info } = await sharp(Buffer.from(svg)).greyscale().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

it('reads numbers of different lengths, in the order of their images', async () => {
  // More than a batch, so that images of all widths are padded.
  const texts = ['17,3', '1986', '12.04.1987', '8,5', '46:12:0030405:17', '250', '1204,75', '31', '2,05', '90'];
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
