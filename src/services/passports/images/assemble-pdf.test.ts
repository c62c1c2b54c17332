import { readFile } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PhotoError } from '../../../ml/image.ts';
import { openPdf } from '../model/pages/pdf.ts';
import { writeTempPdf } from '../model/pages/testing/pdf.ts';
import { assemblePdf, type PageImage } from './assemble-pdf.ts';
import { stripJpegMetadata } from './jpeg.ts';

const signal = new AbortController().signal;
const PHONE = new URL('../../../ml/testing/phone.heic', import.meta.url);

/** 300 × 200 pixels: red top half, green bottom half, blue top left corner. */
function picture() {
  const part = (left: number, top: number, width: number, height: number, background: string) => ({
    input: { create: { width, height, channels: 3 as const, background } },
    left,
    top,
  });
  return sharp({ create: { width: 300, height: 200, channels: 3, background: '#f00' } }).composite([
    part(0, 100, 300, 100, '#0c0'),
    part(0, 0, 100, 60, '#00f'),
  ]);
}

const sheet = (bytes: Buffer, rotation: PageImage['rotation'] = 0): PageImage => ({
  read: async () => bytes,
  rotation,
});

async function assembled(...sheets: PageImage[]): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of assemblePdf(sheets)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The size of the first page and the colours near the four corners of its image. */
async function firstPage(bytes: Buffer): Promise<{ page: [number, number]; corners: string[] }> {
  const pdf = await openPdf(await writeTempPdf(bytes), { maxPages: 10, signal });
  onTestFinished(() => pdf.close());
  const { width, height } = await pdf.text(1, signal);
  const raster = await pdf.render(1, { dpi: 36, maxPixels: 1e6 }, signal);
  // A 3:2 image fills the long side of A4 and most of the short one.
  const [from, to] = [0.15, 0.85];
  const at = (x: number, y: number) => {
    const place = (Math.floor(y * raster.height) * raster.width + Math.floor(x * raster.width)) * 3;
    return dominantColour([...raster.data.subarray(place, place + 3)] as [number, number, number]);
  };
  return {
    page: [Math.round(width), Math.round(height)],
    corners: [at(from, from), at(to, from), at(to, to), at(from, to)],
  };
}

/** The dominant component: CMYK conversion yields no pure colours. */
function dominantColour([red, green, blue]: [number, number, number]): string {
  const most = Math.max(red, green, blue);
  if (most - Math.min(red, green, blue) < 60) return `${red} ${green} ${blue}`;
  return most === red ? 'red' : most === green ? 'green' : 'blue';
}

const UPRIGHT = ['blue', 'red', 'green', 'green'];
const rotatedBy = (quarters: number) => [...UPRIGHT.slice(-quarters), ...UPRIGHT.slice(0, -quarters)];

describe('assemblePdf', () => {
  it('creates an A4 page per image, in order, with the orientation of the image', async () => {
    const upright = await sharp(await picture().png().toBuffer())
      .rotate(90)
      .jpeg()
      .toBuffer();
    const landscape = await picture().jpeg().toBuffer();
    const pdf = await openPdf(await writeTempPdf(await assembled(sheet(upright), sheet(landscape))), {
      maxPages: 10,
      signal,
    });
    onTestFinished(() => pdf.close());
    expect(pdf.pages).toBe(2);
    expect(await pdf.text(1, signal)).toMatchObject({ width: expect.closeTo(595.28, 1), words: [] });
    expect(await pdf.text(2, signal)).toMatchObject({ width: expect.closeTo(841.89, 1), words: [] });
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('applies EXIF orientation %i', async (orientation) => {
    const pixels = await picture().png().toBuffer();
    // Creates the stored image: the inverse of the orientation's transformation.
    const undo: Record<number, (image: Sharp) => Sharp> = {
      1: (image) => image,
      2: (image) => image.flop(),
      3: (image) => image.rotate(180),
      4: (image) => image.flip(),
      5: (image) => image.flip().rotate(90),
      6: (image) => image.rotate(270),
      7: (image) => image.flop().rotate(90),
      8: (image) => image.rotate(90),
    };
    const stored = await undo[orientation]!(sharp(pixels)).png().toBuffer();
    const photo = await sharp(stored).withMetadata({ orientation }).jpeg({ quality: 95 }).toBuffer();
    const control = await sharp(photo).autoOrient().raw().toBuffer({ resolveWithObject: true });
    expect([
      control.info.width,
      control.info.height,
      [...control.data.subarray(0, 3)].map((byte) => byte > 200),
    ]).toEqual([300, 200, [false, false, true]]);
    expect(await firstPage(await assembled(sheet(photo)))).toEqual({ page: [842, 595], corners: UPRIGHT });
  });

  it.each([90, 180, 270] as const)('rotates an image clockwise by %i degrees', async (rotation) => {
    const photo = await picture().jpeg({ quality: 95 }).toBuffer();
    const { page, corners } = await firstPage(await assembled(sheet(photo, rotation)));
    expect(page).toEqual(rotation === 180 ? [842, 595] : [595, 842]);
    expect(corners).toEqual(rotatedBy(rotation / 90));
  });

  it('applies the EXIF orientation before the rotation', async () => {
    const stored = await sharp(await picture().png().toBuffer())
      .rotate(270)
      .png()
      .toBuffer();
    const photo = await sharp(stored).withMetadata({ orientation: 6 }).jpeg({ quality: 95 }).toBuffer();
    expect((await firstPage(await assembled(sheet(photo, 90)))).corners).toEqual(rotatedBy(1));
  });

  it.each([
    ['baseline', (image: Sharp) => image.jpeg({ quality: 90 })],
    ['progressive', (image: Sharp) => image.jpeg({ quality: 90, progressive: true })],
    ['grey', (image: Sharp) => image.toColourspace('b-w').jpeg({ quality: 90 })],
    ['CMYK', (image: Sharp) => image.toColourspace('cmyk').jpeg({ quality: 90 })],
  ])('embeds the encoded data of a %s JPEG unchanged and without metadata', async (kind, encode) => {
    const photo = await encode(sharp(await picture().png().toBuffer()))
      .withExif({ IFD0: { Make: 'SECRET CAMERA' } })
      .toBuffer();
    expect(photo.includes('SECRET CAMERA')).toBe(true);
    const pdf = await assembled(sheet(photo));
    const scan = photo.subarray(photo.indexOf(Buffer.from([0xff, 0xda])), -2);
    expect(pdf.includes(scan)).toBe(true);
    expect(pdf.includes('SECRET CAMERA')).toBe(false);
    const { corners } = await firstPage(pdf);
    if (kind === 'grey') expect(new Set(corners).size).toBe(3);
    else expect(corners).toEqual(UPRIGHT);
  });

  it.each([
    ['PNG', (image: Sharp) => image.png()],
    ['PNG with an alpha channel', (image: Sharp) => image.ensureAlpha().png()],
    ['PNG of 16 bits', (image: Sharp) => image.toColourspace('rgb16').png()],
    ['interlaced PNG', (image: Sharp) => image.png({ progressive: true })],
    ['WebP', (image: Sharp) => image.webp()],
    ['TIFF', (image: Sharp) => image.tiff({ compression: 'lzw' })],
  ])('embeds a %s', async (_, encode) => {
    const image = await encode(sharp(await picture().png().toBuffer())).toBuffer();
    expect(await firstPage(await assembled(sheet(image)))).toEqual({ page: [842, 595], corners: UPRIGHT });
  });

  it('embeds a HEIC photo', async () => {
    const { corners } = await firstPage(await assembled(sheet(await readFile(PHONE))));
    expect(new Set(corners).size).toBeGreaterThan(1);
    expect(corners).not.toContain('255 255 255');
  });

  it('creates identical bytes for identical input and different bytes for another rotation', async () => {
    const images = [
      await picture().jpeg().toBuffer(),
      await picture().png().toBuffer(),
      await picture().webp().toBuffer(),
    ];
    const first = await assembled(...images.map((image) => sheet(image)));
    expect(first.equals(await assembled(...images.map((image) => sheet(image))))).toBe(true);
    expect(first.equals(await assembled(...images.map((image) => sheet(image, 90))))).toBe(false);
  });

  it('reads each image only when its page is written', async () => {
    const photo = await picture().jpeg().toBuffer();
    const read: number[] = [];
    const sheets = [0, 1, 2].map(
      (index): PageImage => ({
        rotation: 0,
        read: async () => {
          read.push(index);
          return photo;
        },
      }),
    );
    for await (const piece of assemblePdf(sheets)) if (piece.includes('6 0 obj')) break;
    expect(read).toEqual([0, 1]);
  });

  it('throws PhotoRejected for a file that is not an image', async () => {
    await expect(assembled(sheet(Buffer.from('no image')))).rejects.toThrow(PhotoError);
  });
});

describe('stripJpegMetadata', () => {
  it('removes data after the image and accepts input truncated at any byte', async () => {
    const photo = await sharp(await picture().png().toBuffer())
      .jpeg({ progressive: true })
      .toBuffer();
    const bare = stripJpegMetadata(Buffer.concat([photo, Buffer.from('a film behind the photo')]))!;
    expect(bare).toMatchObject({ width: 300, height: 200, components: 3, inverted: false });
    expect(Buffer.concat(bare.chunks).includes('a film')).toBe(false);
    const { data } = await sharp(Buffer.concat(bare.chunks)).raw().toBuffer({ resolveWithObject: true });
    expect(data.equals(await sharp(photo).raw().toBuffer())).toBe(true);
    for (let end = 0; end < photo.length; end += 7) stripJpegMetadata(photo.subarray(0, end));
  });
});
