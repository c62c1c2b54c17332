import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Box, ReadPage } from '../page-geometry.ts';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** A page with 5,000 words has 0.5 MiB before compression. */
const MAX_BYTES = 256 * 2 ** 20;

/** Read pages as gzip of JSON, with boxes rounded to a millionth of the page. */
export async function encodePages(pages: readonly ReadPage[]): Promise<Buffer> {
  const rounded = pages.map((page) => ({
    ...page,
    words: page.words.map((word) => ({ ...word, box: roundBox(word.box) })),
    rules: page.rules.map(roundBox),
  }));
  return compress(JSON.stringify(rounded), { level: 1 });
}

/** The inverse of {@link encodePages}; throws for other bytes. */
export async function decodePages(bytes: Uint8Array): Promise<ReadPage[]> {
  return JSON.parse((await decompress(bytes, { maxOutputLength: MAX_BYTES })).toString('utf8')) as ReadPage[];
}

const roundBox = ([x0, y0, x1, y1]: Box): Box => [round(x0), round(y0), round(x1), round(y1)];
const round = (share: number): number => Math.round(share * 1e6) / 1e6;
