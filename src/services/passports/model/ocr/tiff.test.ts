import sharp from 'sharp';
import { expect, it } from 'vitest';
import { encodeTiff } from './tiff.ts';

it('encodeTiff writes one page per image', async () => {
  const pictures = [3, 8].map((width, index) => ({
    width,
    height: 5,
    data: Uint8Array.from({ length: width * 5 }, (_, pixel) => pixel * 6 + index),
  }));
  const file = encodeTiff(pictures);
  expect(await sharp(file).metadata()).toMatchObject({ format: 'tiff', pages: 2 });
  for (const [page, { width, height, data }] of pictures.entries()) {
    const read = sharp(file, { page }).toColourspace('b-w').raw();
    const { data: pixels, info } = await read.toBuffer({ resolveWithObject: true });
    expect(info).toMatchObject({ width, height, channels: 1 });
    expect(Uint8Array.from(pixels)).toEqual(data);
  }
});
