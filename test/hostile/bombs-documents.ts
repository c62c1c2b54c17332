import { deflateSync } from 'node:zlib';
import { PDFDocument } from '@cantoo/pdf-lib';
import { createTestPdf, type TestObject } from '../support/ocr/pdf.ts';
import type { Bomb } from './bombs.ts';

const line = (y: number, label: string, value: string | number) =>
  `BT /F1 14 Tf 60 ${y} Td (${label}) Tj ET\nBT /F1 14 Tf 320 ${y} Td (${value}) Tj ET\n`;
const TEXT = line(700, 'Year built', 1978) + line(670, 'Address', 'Hill Street 12');
/** The valid document that the bombs are derived from. */
export const PASSPORT: Buffer = createTestPdf([{ content: TEXT }]);

const edited = (from: string | RegExp, to: string, bytes = PASSPORT) =>
  Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1');
const zeros = (bytes: number) => deflateSync(Buffer.alloc(bytes), { level: 9 });
const withContent = (content: string, resources = '', objects: readonly TestObject[] = []) =>
  createTestPdf([{ content: `${TEXT}\n${content}`, resources }], objects);
const withPageEntries = (entries: string, objects: readonly TestObject[] = []) =>
  createTestPdf([{ content: TEXT, entries }], objects);
const numbers = (count: number, of: (number: number) => string) => Array.from({ length: count }, (_, i) => of(i));

const picture = (side: number, coding: string, body: Buffer) =>
  withContent('q 600 0 0 300 0 0 cm /Im Do Q', '/XObject << /Im 1000 0 R >>', [
    {
      number: 1000,
      dictionary: `/Type /XObject /Subtype /Image /Width ${side} /Height ${side} ${coding}`,
      body,
    },
  ]);
const BLACK = '/ColorSpace /DeviceGray /BitsPerComponent 1';

/** Nested form XObjects: each draws the next one `times` times. */
const forms = (depth: number, times: number) =>
  withContent(
    '/Fm Do',
    '/XObject << /Fm 1000 0 R >>',
    numbers(depth, String).map((_, i) => ({
      number: 1000 + i,
      dictionary: `/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /XObject << /Fm ${1000 + ((i + 1) % depth)} 0 R >> >>`,
      body: '/Fm Do '.repeat(times),
    })),
  );

function deepTree(depth: number): Buffer {
  const objects = numbers(depth, String).map((_, i) => ({
    number: 1000 + i,
    body: `<< /Type /Pages /Parent ${i === 0 ? 2 : 999 + i} 0 R /Count 1 /Kids [${i + 1 < depth ? 1001 + i : 10} 0 R] >>`,
  }));
  return edited('/Kids [10 0 R]', '/Kids [1000 0 R]', createTestPdf([{ content: TEXT }], objects));
}

function objectStream(bytes: number): Buffer {
  const dictionary = '/Type /ObjStm /N 1000000 /First 10 /Filter /FlateDecode';
  return withPageEntries('', [{ number: 1000, dictionary, body: zeros(bytes) }]);
}

async function encryptedDocument(): Promise<Buffer> {
  const document = await PDFDocument.load(PASSPORT);
  document.encrypt({ userPassword: 'secret', ownerPassword: 'owner' });
  return Buffer.from(await document.save());
}

const withOpenAction = (action: string) => edited('/Type /Catalog', `/Type /Catalog /OpenAction << ${action} >>`);
const DONE = 'SUCCESS';

/** In addition to those in test/passports/hostile.full.test.ts. */
export const DOCUMENTS: readonly Bomb[] = [
  // Page tree and cross-reference table
  { name: '201 pages', make: () => createTestPdf(Array(201).fill({ content: TEXT })), ends: 'PDF_TOO_MANY_PAGES' },
  {
    name: '100 000 pages',
    make: () => edited('/Count 1 /Kids [10 0 R]', `/Count 100000 /Kids [${'10 0 R '.repeat(100_000)}]`),
    ends: 'PDF_TOO_MANY_PAGES',
  },
  { name: 'a page tree of depth 20 000', make: () => deepTree(20_000), ends: 'PDF_CORRUPT' },
  { name: 'a page that is its own parent', make: () => edited('/Parent 2 0 R', '/Parent 10 0 R'), ends: DONE },
  {
    name: 'a cross-reference table whose /Prev is itself',
    make: () => {
      const at = PASSPORT.indexOf('xref\n0 1');
      return edited('trailer\n<<', `trailer\n<< /Prev ${at}`);
    },
    ends: DONE,
  },
  {
    name: 'an object that refers to itself',
    make: () =>
      edited('/Count 1', '/Count 1000 0 R', createTestPdf([{ content: TEXT }], [{ number: 1000, body: '1000 0 R' }])),
    ends: DONE,
  },
  {
    name: 'a cross-reference table with two billion declared rows',
    make: () => edited('xref\n0 1', 'xref\n0 2147483647'),
    ends: DONE,
  },
  {
    name: 'an object with the number 4 000 000',
    make: () => withPageEntries('', [{ number: 4_000_000, body: '(far)' }]),
    ends: DONE,
  },
  { name: 'a page of 10⁹ points', make: () => edited('[0 0 600 800]', '[0 0 1000000000 1000000000]'), ends: DONE },
  // Decompression
  { name: 'an object stream that inflates 1000 times', make: () => objectStream(300e6), ends: DONE },
  {
    name: 'a content stream deflated five times',
    make: () => {
      let body = zeros(50e6);
      for (let i = 0; i < 4; i++) body = deflateSync(body);
      return edited(
        '/Contents 11 0 R',
        '/Contents [11 0 R 1000 0 R]',
        withPageEntries('', [{ number: 1000, dictionary: `/Filter [${'/FlateDecode '.repeat(5)}]`, body }]),
      );
    },
    ends: DONE,
  },
  {
    name: 'a page with a chain of 1000 filters',
    make: () =>
      edited(
        '/Contents 11 0 R',
        '/Contents 1000 0 R',
        withPageEntries('', [
          { number: 1000, dictionary: `/Filter [${'/ASCIIHexDecode '.repeat(1000)}]`, body: '00>' },
        ]),
      ),
    ends: 'UNREADABLE_SCAN',
  },
  {
    name: 'a run-length encoded picture of 20 000 × 20 000',
    make: () =>
      picture(
        20_000,
        `${BLACK} /Filter /RunLengthDecode`,
        Buffer.concat([Buffer.alloc(780_000, 0x81), Buffer.from([128])]),
      ),
    ends: DONE,
  },
  {
    name: 'a CCITT fax picture of 60 000 × 60 000',
    make: () =>
      picture(
        60_000,
        `${BLACK} /Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 60000 /Rows 60000 >>`,
        Buffer.alloc(8000, 0xff),
      ),
    ends: DONE,
  },
  {
    name: 'a CCITT fax picture of 20 000 × 20 000',
    make: () =>
      picture(
        20_000,
        `${BLACK} /Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 20000 /Rows 20000 >>`,
        Buffer.alloc(8000, 0xff),
      ),
    ends: DONE,
    heavy: true,
  },
  {
    name: 'a JBIG2 picture of 2³¹ × 2³¹',
    make: () =>
      picture(
        20_000,
        `${BLACK} /Filter /JBIG2Decode`,
        Buffer.from('00000000300001000000137fffffff7fffffff000000000000000000' + '0000', 'hex'),
      ),
    ends: DONE,
  },
  {
    name: 'a JPEG 2000 picture of 2³¹ × 2³¹',
    make: () =>
      picture(
        1000,
        '/Filter /JPXDecode',
        Buffer.from(
          'ff4fff51002900007fffffff7fffffff0000000000000000000000010000000100000000000000000001070101',
          'hex',
        ),
      ),
    ends: DONE,
  },
  {
    name: 'an inline picture of 20 000 × 20 000',
    make: () => withContent('q 600 0 0 300 0 0 cm BI /W 20000 /H 20000 /BPC 1 /CS /G ID \x00\x00 EI Q'),
    ends: DONE,
  },
  // Recursion
  { name: 'form XObjects that draw each other endlessly', make: () => forms(2, 1), ends: DONE },
  {
    name: 'form XObjects that draw ten others, 12 levels deep',
    make: () => forms(12, 10),
    ends: 'PDF_TOO_COMPLEX',
    heavy: true,
  },
  {
    name: 'a tiling pattern that uses itself',
    make: () =>
      withContent('/Pattern cs /P scn 0 0 600 400 re f', '/Pattern << /P 1000 0 R >>', [
        {
          number: 1000,
          dictionary:
            '/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 1 1] /XStep 0.001 /YStep 0.001 /Resources << /Pattern << /P 1000 0 R >> >>',
          body: '/Pattern cs /P scn 0 0 1 1 re f',
        },
      ]),
    ends: 'PDF_TOO_COMPLEX',
    heavy: true,
  },
  { name: 'a million saved graphics states', make: () => withContent('q '.repeat(1e6)), ends: DONE },
  {
    name: 'a path of a million points',
    make: () => withContent(`0 0 m ${numbers(1e6, (i) => `${i % 600} ${(i * 7) % 800} l`).join(' ')} S`),
    ends: DONE,
  },
  {
    name: 'arrays nested 200 000 deep',
    make: () => withPageEntries(`/Deep ${'['.repeat(200_000)}${']'.repeat(200_000)}`),
    ends: DONE,
  },
  // Large numbers of objects
  {
    name: 'a page of ten million letters',
    make: () => withContent(`BT /F1 1 Tf 0 0 Td (${'a'.repeat(1e7)}) Tj ET`),
    ends: DONE,
  },
  {
    name: 'a million annotations',
    make: () =>
      withPageEntries(`/Annots [${'1000 0 R '.repeat(1e6)}]`, [
        { number: 1000, body: '<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] >>' },
      ]),
    ends: 'PDF_TOO_COMPLEX',
    heavy: true,
  },
  {
    name: '100 000 fonts',
    make: () => createTestPdf([{ content: TEXT, fonts: numbers(100_000, (i) => `/G${i} 3 0 R`).join(' ') }]),
    ends: DONE,
  },
  // Actions and other formats
  { name: 'a document with a password', make: encryptedDocument, ends: 'PDF_ENCRYPTED' },
  {
    name: 'a document that launches a program when opened',
    make: () => withOpenAction('/S /Launch /F (/bin/sh)'),
    ends: DONE,
  },
  {
    name: 'a document that opens a URL when opened',
    make: () => withOpenAction('/S /URI /URI (http://169.254.169.254/)'),
    ends: DONE,
  },
  {
    name: 'a ZIP header before a PDF',
    make: () => Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(900), PASSPORT]),
    ends: DONE,
  },
  {
    name: 'a JPEG header before a PDF header',
    make: () => Buffer.from('\xff\xd8\xff\xe0%PDF-1.7\n', 'latin1'),
    ends: 'PDF_CORRUPT',
  },
];
