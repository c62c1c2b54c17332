import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { deflateSync } from 'node:zlib';
import { PDFDocument } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestPdf, type TestObject, type TestPage, writeTempPdf } from '../../../../../test/support/ocr/pdf.ts';
import { StorageUnavailable } from '../../../../base/files/storage-unavailable.ts';
import { type ReadPage, toPageBox } from '../../page-geometry.ts';
import { toGrayscale } from '../ocr/grayscale.ts';
import { encodePicture } from './page-picture.ts';
import { openPdf, type Pdf, PdfRejected } from './pdf.ts';

const signal = new AbortController().signal;

async function opened(bytes: Uint8Array, options: { maxPages?: number; cpuSeconds?: number } = {}): Promise<Pdf> {
  const pdf = await openPdf(await writeTempPdf(bytes), { maxPages: 200, signal, ...options });
  onTestFinished(() => pdf.close());
  return pdf;
}

/** The text of the first page of a PDF with this page. */
async function textOf(page: TestPage, objects?: readonly TestObject[]): Promise<ReadPage> {
  return (await opened(createTestPdf([page], objects))).text(1, signal);
}

const problemOf = (opening: Promise<unknown>) =>
  opening.then(
    () => 'none',
    (error: unknown) => (error instanceof PdfRejected ? error.problem : String(error)),
  );

const spelled = (page: ReadPage) => page.words.map((word) => word.text).join(' ');
const write = (x: number, y: number, text: string, more = '') => `BT /F1 20 Tf ${more} ${x} ${y} Td (${text}) Tj ET\n`;

describe('Pdf.text: words', () => {
  it('have boxes in page coordinates', async () => {
    const page = await textOf({ content: write(60, 700, 'Total area') + write(300, 400, '54.3') });
    expect(spelled(page)).toBe('Total area 54.3');
    expect(page).toMatchObject({ page: 1, width: 600, height: 800, turn: 0, reader: 'text' });
    const [x0, y0, x1, y1] = page.words[2]!.box;
    expect([x0, y1]).toEqual([expect.closeTo(300 / 600, 2), expect.closeTo(400 / 800, 2)]);
    expect(x1 - x0).toBeCloseTo(38 / 600, 1);
    expect(y1 - y0).toBeCloseTo(15 / 800, 2);
    expect(page.words[0]!.confidence).toBeNull();
  });

  it('have boxes in page coordinates when the page is rotated and cropped', async () => {
    const upright = await textOf({ content: write(60, 700, 'Total'), entries: '/CropBox [50 100 550 750]' });
    expect(upright).toMatchObject({ width: 500, height: 650, turn: 0 });
    expect(upright.words[0]!.box[0]).toBeCloseTo(10 / 500, 2);
    expect(upright.words[0]!.box[3]).toBeCloseTo(50 / 650, 2);
    const rotated = await textOf({
      content: write(60, 700, 'Total'),
      entries: '/CropBox [50 100 550 750] /Rotate 90',
    });
    // Rotated by 90°; 270° more make it upright.
    expect(rotated).toMatchObject({ width: 650, height: 500, turn: 270 });
    expect(rotated.words[0]!.text).toBe('Total');
    // The reading frame matches the unrotated page; on the page itself the word is at the right edge.
    expect(rotated.words[0]!.box[0]).toBeCloseTo(10 / 500, 2);
    expect(rotated.words[0]!.box[3]).toBeCloseTo(50 / 650, 2);
    expect(toPageBox(rotated, rotated.words[0]!.box)[0]).toBeCloseTo(600 / 650, 2);
    expect(toPageBox(rotated, rotated.words[0]!.box)[1]).toBeCloseTo(10 / 500, 2);
  });

  it('are complete when the text runs upwards, and the page has the turn 90', async () => {
    const page = await textOf({ content: 'BT /F1 20 Tf 0 1 -1 0 300 100 Tm (Floor plan) Tj ET' });
    expect(spelled(page)).toBe('Floor plan');
    expect(page.turn).toBe(90);
    const [x0, y0, x1, y1] = toPageBox(page, page.words[0]!.box);
    expect((y1 - y0) * 800).toBeGreaterThan((x1 - x0) * 600);
    expect([x0 * 600, y1 * 800]).toEqual([expect.closeTo(285, -1), expect.closeTo(700, -1)]);
    expect(page.reading).toMatchObject({ width: 800, height: 600 });
  });

  it('are separated by gaps, not by drawing operations', async () => {
    const pieces = await textOf({ content: 'BT /F1 20 Tf 60 700 Td [(To) 20 (ta) -10 (l) -600 (area)] TJ ET' });
    expect(spelled(pieces)).toBe('Total area');
  });

  it('are returned once when they are drawn twice to look bold', async () => {
    expect(spelled(await textOf({ content: write(60, 700, 'Total') + write(60.3, 700, 'Total') }))).toBe('Total');
  });

  it('do not include invisible, covered or off-page text', async () => {
    const image: TestObject = {
      number: 1000,
      dictionary: '/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8',
      body: Buffer.from([200]),
    };
    const resources = '/XObject << /Im 1000 0 R >>';
    const covered = await textOf({ content: `${write(60, 700, 'under')} q 600 0 0 800 0 0 cm /Im Do Q`, resources }, [
      image,
    ]);
    expect(spelled(covered)).toBe('');
    const rest = `${write(60, 700, 'scanned', '3 Tr')} ${write(700, 100, 'outside')} ${write(60, 100, 'seen', '0 Tr')}`;
    expect(spelled(await textOf({ content: rest }))).toBe('seen');
  });

  it('are omitted when a scan has only the text of a stamp', async () => {
    const image: TestObject = {
      number: 1000,
      dictionary: '/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8',
      body: Buffer.from([200]),
    };
    const stamp = write(60, 700, 'Signed electronically');
    const strips = (heights: readonly number[]) =>
      heights.map((height, i) => `q 600 0 0 ${height} 0 ${100 * i} cm /Im Do Q `).join('');
    const read = async (images: string) =>
      spelled(await textOf({ content: images + stamp, resources: '/XObject << /Im 1000 0 R >>' }, [image]));
    expect(await read('q 600 0 0 800 0 0 cm /Im Do Q ')).toBe('');
    expect(await read(strips(Array(8).fill(100)))).toBe('');
    expect(await read(strips([100, 100]))).toBe('Signed electronically');
  });

  it('are omitted when Cyrillic is encoded as Latin-1', async () => {
    const latin = [...'Технический паспорт'].map((letter) => {
      const code = letter === ' ' ? 32 : letter.codePointAt(0)! - 0x410 + 0xc0;
      return `\\${code.toString(8).padStart(3, '0')}`;
    });
    expect((await textOf({ content: write(60, 700, latin.join('')) })).words).toEqual([]);
  });

  it('include check boxes that are drawn as squares, without their sides and marks', async () => {
    const options = write(80, 700, 'Brick') + write(80, 670, 'Wood');
    const page = await textOf({
      content: `${options} 60 700 12 12 re S 60 670 12 12 re S BT /F1 10 Tf 62 672 Td (X) Tj ET`,
    });
    expect(spelled(page)).toBe('Brick Wood ☐ ☑');
    expect(page.rules).toEqual([]);
    expect(page.words[3]!.box.map((share, i) => Math.round(share * (i % 2 === 0 ? 600 : 800)))).toEqual([
      60, 118, 72, 130,
    ]);
  });

  it('include the values of form fields', async () => {
    const document = await PDFDocument.create();
    const page = document.addPage([600, 800]);
    const field = document.getForm().createTextField('area');
    field.setText('Filled in');
    field.addToPage(page, { x: 60, y: 600, width: 200, height: 30 });
    const text = await (await opened(await document.save())).text(1, signal);
    expect(spelled(text)).toBe('Filled in');
  });
});

describe('Pdf.text: rules', () => {
  it('include strokes, thin bars and nested form objects', async () => {
    const page = await textOf(
      {
        content: '60 700 m 540 700 l S  60 500 1 200 re f  q 1 0 0 1 0 100 cm /Fm Do Q',
        resources: '/XObject << /Fm 1000 0 R >>',
      },
      [
        {
          number: 1000,
          dictionary: '/Type /XObject /Subtype /Form /BBox [0 0 600 800]',
          body: '60 100 m 300 100 l S',
        },
      ],
    );
    const rounded = page.rules.map((rule) => rule.map((share) => Number(share.toFixed(3))));
    expect(rounded).toEqual([
      [0.1, 0.125, 0.9, 0.125],
      [0.1, 0.75, 0.5, 0.75],
      [0.101, 0.125, 0.101, 0.375],
    ]);
  });

  it('do not include white lines', async () => {
    expect((await textOf({ content: '1 1 1 RG 60 700 m 540 700 l S' })).rules).toEqual([]);
  });
});

describe('Pdf.render, Pdf.picture and Pdf.scan', () => {
  const red = '1 0 0 rg 0 700 100 100 re f';

  it('render() draws the page on white in colour', async () => {
    const pdf = await opened(createTestPdf([{ content: red }]));
    const raster = await pdf.render(1, { dpi: 36, maxPixels: 1e6 }, signal);
    expect(raster).toMatchObject({ width: 300, height: 400, channels: 3 });
    const at = (x: number, y: number) => [...raster.data.subarray((y * 300 + x) * 3, (y * 300 + x) * 3 + 3)];
    expect(at(10, 10)).toEqual([255, 0, 0]);
    expect(at(200, 200)).toEqual([255, 255, 255]);
  });

  it('picture() returns a JPEG, and scan() returns a grayscale raster with a JPEG', async () => {
    const pdf = await opened(createTestPdf([{ content: red }]));
    const picture = await sharp(await pdf.picture(1, signal)).metadata();
    expect(picture).toMatchObject({ format: 'jpeg', width: 1200, height: 1600 });
    const size = { dpi: 36, maxPixels: 1e6 };
    const scan = await pdf.scan(1, size, signal);
    const raster = await pdf.render(1, size, signal);
    expect(scan.raster).toEqual({ ...toGrayscale(raster), channels: 1 });
    expect(scan.picture.equals(await encodePicture(raster))).toBe(true);
  });

  it('scan() draws a page with nothing but an image in its resolution', async () => {
    const size = { dpi: 300, maxPixels: 1e6 };
    const stripes = (width: number, height: number): TestObject => ({
      number: 1000,
      dictionary: `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8`,
      body: Buffer.from(Array.from({ length: width * height }, (_, i) => (i % 3 === 0 ? 0 : 255))),
    });
    const scanOf = async (image: TestObject, page: Partial<TestPage> = {}) => {
      const content = `q 144 0 0 72 0 0 cm /Im Do Q ${page.content ?? ''}`;
      const resources = '/XObject << /Im 1000 0 R >>';
      const pdf = await opened(createTestPdf([{ resources, size: [144, 72], ...page, content }], [image]));
      return (await pdf.scan(1, size, signal)).raster;
    };
    const image = stripes(361, 180);
    const same = await scanOf(image);
    expect([same.width, same.height]).toEqual([361, 180]);
    expect(Buffer.from(same.data).equals(image.body as Buffer)).toBe(true);
    expect(await scanOf(image, { entries: '/Rotate 90' })).toMatchObject({ width: 180, height: 361 });
    const full = { width: 600, height: 300 };
    expect(await scanOf(image, { content: 'BT /F1 14 Tf 20 20 Td (stamp) Tj ET' })).toMatchObject(full);
    expect(await scanOf(stripes(1, 1))).toMatchObject(full);
    expect(await scanOf(stripes(900, 450))).toMatchObject(full);
    expect(await scanOf(image, { entries: '/CropBox [700 900 800 1000]' })).toMatchObject({ width: 4, height: 4 });
  });

  it('render() draws in grayscale on request and applies the page rotation', async () => {
    const pdf = await opened(createTestPdf([{ content: red, entries: '/Rotate 90' }]));
    const raster = await pdf.render(1, { dpi: 36, maxPixels: 1e6, grey: true }, signal);
    expect(raster).toMatchObject({ width: 400, height: 300, channels: 1 });
    expect(raster.data).toHaveLength(120_000);
    expect(raster.data[10 * 400 + 390]).toBeLessThan(150);
    expect(raster.data[10 * 400 + 10]).toBe(255);
  });

  it('render() draws Cyrillic letters of a font that is not embedded', async () => {
    // Adobe glyph names of А to я without Ё and ё.
    const letters = [...Array(33).keys()].flatMap((at) => (at === 6 ? [] : [`/afii100${17 + at}`]));
    const small = [...Array(33).keys()].flatMap((at) => (at === 6 ? [] : [`/afii100${65 + at}`]));
    const font: TestObject[] = [
      {
        number: 1000,
        body:
          '<< /Type /Font /Subtype /TrueType /BaseFont /Arial /FirstChar 32 /LastChar 255 ' +
          `/Widths [${'556 '.repeat(224)}] /Encoding 1001 0 R /FontDescriptor 1002 0 R >>`,
      },
      {
        number: 1001,
        body: `<< /Type /Encoding /BaseEncoding /WinAnsiEncoding /Differences [192 ${[...letters, ...small].join(' ')}] >>`,
      },
      {
        number: 1002,
        body:
          '<< /Type /FontDescriptor /FontName /Arial /Flags 32 /ItalicAngle 0 /Ascent 905 /Descent -212 ' +
          '/CapHeight 716 /StemV 80 /FontBBox [-665 -325 2000 1006] >>',
      },
    ];
    const content = 'BT /F2 40 Tf 60 700 Td (\\322\\345\\365\\355\\350\\352) Tj ET';
    const pdf = await opened(createTestPdf([{ content, fonts: '/F2 1000 0 R' }], font));
    expect(spelled(await pdf.text(1, signal))).toBe('Техник');
    const { data } = await pdf.render(1, { dpi: 72, maxPixels: 1e6, grey: true }, signal);
    expect(data.filter((byte) => byte < 128).length).toBeGreaterThan(300);
  });

  it('render() limits the pixels of a huge page', async () => {
    const pdf = await opened(createTestPdf([{ content: red, size: [14_400, 14_400] }]));
    const { width, height } = await pdf.render(1, { dpi: 300, maxPixels: 1e6 }, signal);
    expect([width, height]).toEqual([1000, 1000]);
  });
});

describe('openPdf with damaged and malicious files', () => {
  const page = { content: write(60, 700, 'Total') };

  it('repairs a wrong cross-reference table', async () => {
    const bytes = Buffer.from(
      createTestPdf([page])
        .toString('latin1')
        .replace(/startxref\n\d+/, 'startxref\n7'),
      'latin1',
    );
    expect(spelled(await (await opened(bytes)).text(1, signal))).toBe('Total');
  });

  it('rejects a PDF without readable pages as corrupt and other files as unsupported', async () => {
    const bytes = createTestPdf([page]);
    expect(await problemOf(opened(bytes.subarray(0, 60)))).toBe('corrupt');
    expect(await problemOf(opened(Buffer.from('%PDF-1.7\nnothing more')))).toBe('corrupt');
    expect(await problemOf(opened(Buffer.from('PK\x03\x04 a zip')))).toBe('unsupported');
    expect(await problemOf(opened(Buffer.alloc(0)))).toBe('unsupported');
    expect(await problemOf(opened(createTestPdf([])))).toBe('unsupported');
  });

  it('rejects a PDF with a user password as encrypted and reads one with only an owner password', async () => {
    const lock = async (userPassword: string | undefined) => {
      const document = await PDFDocument.load(createTestPdf([page]));
      document.encrypt({ ownerPassword: 'owner', ...(userPassword !== undefined && { userPassword }) });
      return document.save();
    };
    expect(await problemOf(opened(await lock('secret')))).toBe('encrypted');
    expect(spelled(await (await opened(await lock(undefined))).text(1, signal))).toBe('Total');
  });

  it('rejects a PDF with more than maxPages pages', async () => {
    const bytes = createTestPdf(Array.from({ length: 4 }, () => page));
    expect((await opened(bytes, { maxPages: 4 })).pages).toBe(4);
    expect(await problemOf(opened(bytes, { maxPages: 3 }))).toBe('too_many_pages');
  });

  it('returns an unreadable page as empty and lists it in damaged', async () => {
    const bytes = Buffer.from(
      createTestPdf([page, page]).toString('latin1').replace('/Kids [10 0 R 12', '/Kids [10 0 R 99'),
      'latin1',
    );
    const pdf = await opened(bytes);
    expect(pdf.pages).toBe(2);
    expect((await pdf.text(1, signal)).words).toHaveLength(1);
    expect((await pdf.text(2, signal)).words).toEqual([]);
    expect((await pdf.render(2, { dpi: 10, maxPixels: 1e6 }, signal)).data.every((byte) => byte === 255)).toBe(true);
    expect((await sharp(await pdf.picture(2, signal)).stats()).channels.map(({ min }) => min)).toEqual([255, 255, 255]);
    expect([...pdf.damaged]).toEqual([2]);
  });

  it('rejects an image of 65,000 × 65,000 pixels as too_complex', async () => {
    const image: TestObject = {
      number: 1000,
      dictionary:
        '/Type /XObject /Subtype /Image /Width 65000 /Height 65000 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /FlateDecode',
      body: deflateSync(Buffer.alloc(10_000)),
    };
    const content = 'q 600 0 0 800 0 0 cm /Im Do Q';
    const pdf = await opened(createTestPdf([{ content, resources: '/XObject << /Im 1000 0 R >>' }], [image]));
    expect((await pdf.text(1, signal)).words).toEqual([]);
    expect(await problemOf(pdf.render(1, { dpi: 72, maxPixels: 1e6 }, signal))).toBe('too_complex');
    await expect(pdf.text(1, signal)).rejects.toThrow('closed');
  });

  it('rejects exponentially nested form objects as too_complex', { tags: ['full'] }, async () => {
    const forms = Array.from(
      { length: 12 },
      (_, depth): TestObject => ({
        number: 1000 + depth,
        dictionary: `/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /XObject << /Fm ${1001 + depth} 0 R >> >>`,
        body: depth < 11 ? '/Fm Do '.repeat(12) : '0 0 10 10 re f',
      }),
    );
    const bytes = createTestPdf([{ content: '/Fm Do', resources: '/XObject << /Fm 1000 0 R >>' }], forms);
    const problem = problemOf(opened(bytes, { cpuSeconds: 2 }).then((pdf) => pdf.text(1, signal)));
    expect(await problem).toBe('too_complex');
  });

  it('rejects a decompression bomb as too_complex', { tags: ['full'] }, async () => {
    // Compressed twice: a few kilobytes expand to gigabytes.
    const bomb = deflateSync(deflateSync(Buffer.alloc(400e6), { level: 1 }));
    const content: TestObject = { number: 1000, dictionary: '/Filter [/FlateDecode /FlateDecode]', body: bomb };
    const bytes = createTestPdf([{ content: '', entries: `/Contents [${'1000 0 R '.repeat(8)}]` }], [content]);
    const doubled = Buffer.from(bytes.toString('latin1').replace('/Contents 11 0 R ', ''), 'latin1');
    const reading = opened(doubled, { cpuSeconds: 10 }).then((pdf) => pdf.text(1, signal));
    expect(await problemOf(reading)).toBe('too_complex');
  });
});

describe('PDF processes', () => {
  it('close the document when the signal is aborted', async () => {
    const pdf = await opened(createTestPdf([{ content: write(60, 700, 'Total') }]));
    const stop = new AbortController();
    const reading = pdf.text(1, stop.signal);
    stop.abort(new Error('No longer wanted.'));
    await expect(reading).rejects.toThrow('No longer wanted.');
    await expect(pdf.text(1, signal)).rejects.toThrow('closed');
  });

  it('are not started when the signal is already aborted', async () => {
    const aborted = AbortSignal.abort(new Error('No longer wanted.'));
    await expect(openPdf('nowhere.pdf', { maxPages: 1, signal: aborted })).rejects.toThrow('No longer wanted.');
  });

  it('are unavailable when the file cannot be read', async () => {
    await expect(openPdf('/nowhere/a.pdf', { maxPages: 1, signal })).rejects.toThrow(StorageUnavailable);
  });

  it('are isolated: a crash affects neither other open documents nor later ones', async () => {
    const image: TestObject = {
      number: 1000,
      dictionary:
        '/Type /XObject /Subtype /Image /Width 65000 /Height 65000 /ColorSpace /DeviceGray /BitsPerComponent 1',
      body: Buffer.alloc(10),
    };
    const bomb = createTestPdf([{ content: '/Im Do', resources: '/XObject << /Im 1000 0 R >>' }], [image]);
    const named = (name: string) => createTestPdf([{ content: write(60, 700, name) }]);
    const [first, hostile] = [await opened(named('first')), await opened(bomb)];
    expect(await problemOf(hostile.render(1, { dpi: 72, maxPixels: 1e6 }, signal))).toBe('too_complex');
    expect(spelled(await first.text(1, signal))).toBe('first');
    await Promise.all([first.close(), hostile.close()]);
    for (const name of ['second', 'third']) {
      const next = await opened(named(name));
      expect(spelled(await next.text(1, signal))).toBe(name);
      await next.close();
      await expect(next.text(1, signal)).rejects.toThrow('closed');
    }
  });

  it('process concurrent requests in order', async () => {
    const pdf = await opened(createTestPdf(['one', 'two', 'three'].map((name) => ({ content: write(60, 700, name) }))));
    const pages = await Promise.all([3, 1, 2].map((page) => pdf.text(page, signal)));
    expect(pages.map(spelled)).toEqual(['three', 'one', 'two']);
  });

  it('do not keep the parent process alive after their documents are closed', { tags: ['full'] }, async () => {
    const path = await writeTempPdf(createTestPdf([{ content: write(60, 700, 'Total') }]));
    const program = `
      import { openPdf } from ${JSON.stringify(new URL('./pdf.ts', import.meta.url).href)};
      const { signal } = new AbortController();
      const pdf = await openPdf(${JSON.stringify(path)}, { maxPages: 1, signal });
      await pdf.close();
    `;
    const reader = new URL('../../../../../test/support/read-types.mjs', import.meta.url).href;
    const ended = promisify(execFile)(process.execPath, ['--import', reader, '--input-type=module', '-e', program], {
      timeout: 25_000,
    });
    await expect(ended).resolves.toMatchObject({ stderr: '' });
  });
});
