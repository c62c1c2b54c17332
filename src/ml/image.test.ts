import sharp, { type Create } from 'sharp';
import { describe, expect, test } from 'vitest';
import { phoneHeic } from '../../test/support/ml/heic.ts';
import { blackPng, withDeclaredSize } from '../../test/support/ml/image-files.ts';
import { decodePhoto, PhotoError } from './image.ts';

const halves = (width = 60, height = 40) =>
  sharp({ create: { width, height, channels: 3, background: 'red' } }).composite([
    { input: { create: { width: width / 2, height, channels: 3, background: 'blue' } }, gravity: 'east' },
  ]);
const plain = (options: Partial<Create> = {}) =>
  sharp({ create: { width: 60, height: 40, channels: 3, background: '#a04020', ...options } });

const decode = (bytes: Buffer, size = 16) => decodePhoto(bytes, { width: size, height: size });
const problemOf = async (bytes: Buffer) => {
  const error = await decode(bytes).then(
    () => 'decoded',
    (reason: unknown) => reason,
  );
  return error instanceof PhotoError ? error.problem : error;
};
const colourAt = (pixels: Uint8Array, x: number, y: number, size = 16) => {
  const at = (Math.floor(y * size) * size + Math.floor(x * size)) * 3;
  return [...pixels.subarray(at, at + 3)];
};
const close = (expected: number[], tolerance = 8) =>
  expected.map((value) => expect.closeTo(value, -Math.log10(2 * tolerance)));

describe('decodePhoto with valid images', () => {
  const writers: Record<string, () => Promise<Buffer>> = {
    JPEG: () => plain().jpeg({ quality: 95 }).toBuffer(),
    'progressive JPEG': () => plain().jpeg({ quality: 95, progressive: true }).toBuffer(),
    'CMYK JPEG': () => plain().toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer(),
    PNG: () => plain().png().toBuffer(),
    'PNG with a palette': () => plain().png({ palette: true }).toBuffer(),
    'interlaced PNG': () => plain().png({ progressive: true }).toBuffer(),
    '16-bit PNG': () => plain().toColourspace('rgb16').png().toBuffer(),
    'PNG with alpha': () => plain({ channels: 4, background: '#a04020' }).png().toBuffer(),
    WebP: () => plain().webp({ quality: 95 }).toBuffer(),
    TIFF: () => plain().tiff().toBuffer(),
    GIF: () => plain().gif().toBuffer(),
    AVIF: () => plain().avif({ quality: 90, effort: 0 }).toBuffer(),
  };
  test.each(Object.keys(writers))('decodes %s', async (name) => {
    const { pixels, width, height } = await decode(await writers[name]!());
    expect({ width, height }).toEqual({ width: 60, height: 40 });
    expect(pixels).toHaveLength(16 * 16 * 3);
    expect(colourAt(pixels, 0.5, 0.5)).toEqual(close([0xa0, 0x40, 0x20], 30));
  });

  test('converts greyscale to three equal channels, with and without alpha', async () => {
    const grey = await plain({ background: '#808080' }).toColourspace('b-w').png().toBuffer();
    const clear = await sharp(Buffer.from([128, 255, 128, 255]), { raw: { width: 2, height: 1, channels: 2 } })
      .png()
      .toBuffer();
    for (const bytes of [grey, clear]) {
      const { pixels } = await decode(bytes);
      expect(colourAt(pixels, 0.2, 0.2)).toEqual([128, 128, 128]);
    }
  });

  test('flattens transparency to white', async () => {
    const clear = await plain({ channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } })
      .png()
      .toBuffer();
    expect(colourAt((await decode(clear)).pixels, 0.5, 0.5)).toEqual([255, 255, 255]);
  });

  test('decodes the first frame of an animation', async () => {
    const frames = [plain({ background: 'red' }), plain({ background: 'blue' })].map((frame) => frame.png().toBuffer());
    const all = sharp(await Promise.all(frames), { join: { animated: true } });
    for (const bytes of [await all.clone().gif().toBuffer(), await all.clone().webp({ lossless: true }).toBuffer()]) {
      const { pixels, height } = await decode(bytes);
      expect(height).toBe(40);
      expect(colourAt(pixels, 0.5, 0.5)).toEqual([255, 0, 0]);
    }
  });

  test('decodes a one-pixel image', async () => {
    const { pixels, width, height } = await decode(await plain({ width: 1, height: 1 }).png().toBuffer());
    expect({ width, height }).toEqual({ width: 1, height: 1 });
    expect(colourAt(pixels, 0.9, 0.9)).toEqual([0xa0, 0x40, 0x20]);
  });

  test.each([
    [1, 'left'],
    [2, 'right'],
    [3, 'right'],
    [4, 'left'],
    [5, 'top'],
    [6, 'top'],
    [7, 'bottom'],
    [8, 'bottom'],
  ])('applies EXIF orientation %i: red is at the %s', async (orientation, side) => {
    const bytes = await halves().withMetadata({ orientation }).jpeg({ quality: 95 }).toBuffer();
    const { pixels, width, height } = await decode(bytes);
    expect({ width, height }).toEqual(orientation > 4 ? { width: 40, height: 60 } : { width: 60, height: 40 });
    const places = { left: [0.1, 0.5], right: [0.9, 0.5], top: [0.5, 0.1], bottom: [0.5, 0.9] } as const;
    const red = Object.entries(places).filter(
      ([, [x, y]]) => colourAt(pixels, x, y)[0]! > 200 && colourAt(pixels, x, y)[2]! < 50,
    );
    expect(red.map(([name]) => name)).toContain(side);
  });

  test('matches autoOrient of sharp for every orientation', async () => {
    const noise = await sharp({
      create: {
        width: 24,
        height: 16,
        channels: 3,
        background: 'grey',
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    })
      .png()
      .toBuffer();
    for (let orientation = 1; orientation <= 8; orientation++) {
      const bytes = await sharp(noise).withMetadata({ orientation }).png().toBuffer();
      const { pixels } = await decodePhoto(bytes, { width: 8, height: 6 });
      const theirs = await sharp(bytes).autoOrient().resize(8, 6, { fit: 'fill' }).raw().toBuffer();
      expect(Math.max(...pixels.map((value, i) => Math.abs(value - theirs[i]!)))).toBeLessThanOrEqual(2);
    }
  });
});

test('decodePhoto returns pixels in a transferable buffer', async () => {
  for (const bytes of [await plain().jpeg().toBuffer(), phoneHeic()]) {
    const { pixels } = await decode(bytes);
    structuredClone(pixels, { transfer: [pixels.buffer as ArrayBuffer] });
    expect(pixels).toHaveLength(0);
  }
});

describe('decodePhoto size limit', () => {
  test('accepts a 48-megapixel photo', { tags: ['full'] }, async () => {
    const bytes = await plain({ width: 8064, height: 6048 }).jpeg({ quality: 40 }).toBuffer();
    expect(await decode(bytes)).toMatchObject({ width: 8064, height: 6048 });
  });

  test('accepts 49.99 megapixels and rejects 50.01', async () => {
    expect(await decode(blackPng(7071))).toMatchObject({ width: 7071, height: 7071 });
    expect(await problemOf(blackPng(7072))).toBe('too_large');
  });

  test('rejects 900 megapixels without decoding', async () => {
    const bomb = blackPng(30_000);
    expect(bomb.length).toBeLessThan(2 ** 20);
    const startedAt = performance.now();
    expect(await problemOf(bomb)).toBe('too_large');
    expect(performance.now() - startedAt).toBeLessThan(500);
  });
});

describe('decodePhoto with HEIC', () => {
  test('assembles the tiles of the primary image and rotates it once', async () => {
    const { pixels, width, height } = await decode(phoneHeic());
    expect({ width, height }).toEqual({ width: 96, height: 128 });
    const [red, blue] = [close([224, 32, 32], 15), close([32, 64, 190], 15)];
    expect(colourAt(pixels, 0.8, 0.2)).toEqual(red);
    expect([colourAt(pixels, 0.2, 0.2), colourAt(pixels, 0.2, 0.8), colourAt(pixels, 0.8, 0.8)]).toEqual([
      blue,
      blue,
      blue,
    ]);
  });

  test('reports truncated files and invalid image data as corrupt', async () => {
    const whole = phoneHeic();
    const noise = Buffer.from(whole).fill(0x5a, whole.indexOf('mdat') + 4);
    const nothing = Buffer.concat([Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'), Buffer.alloc(100)]);
    for (const bytes of [whole.subarray(0, whole.length - 300), whole.subarray(0, 400), noise, nothing]) {
      expect(await problemOf(bytes)).toBe('corrupt');
    }
  });

  test('rejects a declared size of 400 megapixels without decoding', async () => {
    expect(await problemOf(withDeclaredSize(phoneHeic(), 20_000, 20_000))).toBe('too_large');
  });

  test('does not block the event loop', async () => {
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    await decode(phoneHeic());
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(5);
  });

  test('stops when the signal aborts', async () => {
    const stop = new AbortController();
    const photos = [1, 2].map(() => decodePhoto(phoneHeic(), { width: 16, height: 16 }, stop.signal));
    stop.abort(new Error('cancelled'));
    for (const photo of photos) await expect(photo).rejects.toThrow('cancelled');
  });
});

describe('decodePhoto with invalid files', () => {
  test.each([
    ['text', Buffer.from('just some text, long enough to be sniffed at')],
    ['an empty file', Buffer.alloc(0)],
    ['a web page', Buffer.from('<!doctype html><html><body>404</body></html>')],
    [
      'SVG',
      Buffer.from(
        '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="10" height="10"/></svg>',
      ),
    ],
    ['PDF', Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n')],
    ['BMP', Buffer.from('BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0', 'latin1')],
  ])('reports %s as unsupported', async (_, bytes) => {
    expect(await problemOf(bytes)).toBe('unsupported');
  });

  test('reports a header without image data as corrupt', async () => {
    for (const head of [
      '\xff\xd8\xff\xe0',
      '\x89PNG\r\n\x1a\n',
      'GIF89a',
      'RIFF\0\0\0\0WEBP',
      'II*\0',
      '\0\0\0\x18ftypavif\0\0\0\0mif1avif',
    ]) {
      expect(await problemOf(Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from('nonsense')]))).toBe('corrupt');
    }
  });

  test('reports a truncated image as corrupt in every format', async () => {
    const noisy = sharp({
      create: {
        width: 300,
        height: 300,
        channels: 3,
        background: 'grey',
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    });
    const formats = ['jpeg', 'png', 'webp', 'tiff', 'gif', 'avif'] as const;
    for (const format of formats) {
      const bytes = await noisy
        .clone()
        .toFormat(format, format === 'avif' ? { effort: 0 } : {})
        .toBuffer();
      expect([format, await problemOf(bytes.subarray(0, bytes.length >> 1))]).toEqual([format, 'corrupt']);
    }
  });

  test('rejects a JPEG with too many scans without decoding', async () => {
    const jpeg = await sharp({ create: { width: 640, height: 480, channels: 3, background: 'grey' } })
      .jpeg({ progressive: true })
      .toBuffer();
    expect((await decodePhoto(jpeg, { width: 8, height: 8 })).width).toBe(640);
    const scan = Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0]);
    const bomb = Buffer.concat([jpeg.subarray(0, -2), ...Array<Buffer>(101).fill(scan), Buffer.from([0xff, 0xd9])]);
    expect(await problemOf(bomb)).toBe('too_slow');
  });

  test('disables the other decoders of sharp', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>');
    await expect(sharp(svg).raw().toBuffer()).rejects.toThrow();
  });
});
