import { expect, it } from 'vitest';
import { type ReadPage, uprightFrame } from '../page-geometry.ts';
import { decodePages, encodePages } from './page-storage.ts';

const page = (number: number, words: number): ReadPage => ({
  ...{ page: number, width: 595.28, height: 841.89, turn: 90, reader: 'tesseract rus+eng' },
  reading: { ...uprightFrame(595.28, 841.89, 90), toPage: [0, 1 / 3, 1e-7, -1, 0, 1, 0, 0, 1] },
  words: Array.from({ length: words }, (_, i) => ({
    text: `слово${i}`,
    box: [i / words, 1 / 3, (i + 1) / words, 2 / 3] as const,
    confidence: i % 2 ? 0.87 : null,
  })),
  rules: [[0, 1 / 7, 1, 1 / 7]],
});

it('decodePages returns the encoded pages, with boxes to a millionth of the page', async () => {
  const pages = [page(1, 3), { ...page(2, 0), reader: 'text' }];
  const decoded = await decodePages(await encodePages(pages));
  expect(decoded[1]!.words).toEqual([]);
  expect(decoded[0]!.reading).toEqual(pages[0]!.reading);
  expect(decoded[0]!.words[1]).toEqual({
    text: 'слово1',
    box: [0.333333, 0.333333, 0.666667, 0.666667],
    confidence: 0.87,
  });
  // Encoding again changes nothing.
  expect(await decodePages(await encodePages(decoded))).toEqual(decoded);
});

it('encodePages needs less than 20 bytes a word', async () => {
  expect((await encodePages([page(1, 5000)])).length).toBeLessThan(100_000);
});

it('decodePages rejects other bytes', async () => {
  await expect(decodePages(Buffer.from('no gzip'))).rejects.toThrow();
});
