import { createServer } from 'node:net';
import { deflateRawSync, deflateSync } from 'node:zlib';
import { PDFDocument } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ObjectMade, pdfOf } from '../src/services/passports/model/pages/testing/pdf.ts';
import { cleanUp } from './processes/assay.ts';
import { type PassportsAssay, startPassportsAssay } from './processes/passports.ts';

vi.setConfig({ testTimeout: 240_000 });

let assay: PassportsAssay;
beforeAll(async () => {
  assay = await startPassportsAssay();
}, 120_000);
afterAll(cleanUp);

const JSON_PLEASE = { accept: 'application/json' };
const line = (y: number, label: string, value: string | number) =>
  `BT /F1 14 Tf 60 ${y} Td (${label}) Tj ET\nBT /F1 14 Tf 320 ${y} Td (${value}) Tj ET\n`;
const TEXT = line(700, 'Year built', 1978) + line(670, 'Address', 'Hill Street 12');
const PASSPORT = pdfOf([{ content: TEXT }]);
const edited = (from: string | RegExp, to: string, bytes = PASSPORT) =>
  Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1');

async function locked(options: { userPassword?: string; ownerPassword?: string }): Promise<Buffer> {
  const document = await PDFDocument.load(PASSPORT);
  document.encrypt(options);
  return Buffer.from(await document.save());
}

/** A page of this, with objects numbered from 1000 beside it; whatever becomes of them, the text is there too. */
const withObjects = (draws: string, resources: string, objects: readonly ObjectMade[]) =>
  pdfOf([{ content: `${TEXT}\n${draws}`, resources }], objects);

function imageOf(side: number, filter: string, body: Buffer): Buffer {
  const dictionary = `/Type /XObject /Subtype /Image /Width ${side} /Height ${side} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /${filter}`;
  return withObjects('q 600 0 0 300 0 0 cm /Im Do Q', '/XObject << /Im 1000 0 R >>', [{ number: 1000, dictionary, body }]);
}

/** Forms in forms, each drawing the next one. */
function nested(depth: number): Buffer {
  const forms = Array.from({ length: depth }, (_, i): ObjectMade => ({
    number: 1000 + i,
    dictionary: `/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /XObject << /Fm ${1001 + i} 0 R >> >>`,
    body: i + 1 < depth ? '/Fm Do' : '0 0 10 10 re f',
  }));
  return withObjects('/Fm Do', '/XObject << /Fm 1000 0 R >>', forms);
}

/** A content that takes a few kilobytes and becomes gigabytes. */
function bomb(): Buffer {
  const body = deflateSync(deflateSync(Buffer.alloc(400e6), { level: 1 }));
  const stream: ObjectMade = { number: 1000, dictionary: '/Filter [/FlateDecode /FlateDecode]', body };
  return edited('/Contents 11 0 R', `/Contents [${'1000 0 R '.repeat(8)}]`, pdfOf([{ content: '' }], [stream]));
}

/** A ZIP archive of one file. */
function zip(): Buffer {
  const packed = deflateRawSync(Buffer.from('text'));
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  return Buffer.concat([head, packed]);
}

const filesOf = async (): Promise<[string, Buffer][]> => [
  ['bad xref', edited(/startxref\n\d+/, 'startxref\n7')],
  ['truncated', PASSPORT.subarray(0, PASSPORT.indexOf('xref\n0 1') - 10)],
  ['cut in its head', PASSPORT.subarray(0, 60)],
  ['junk', Buffer.from('%PDF-junk\n')],
  ['zip behind a header', Buffer.concat([Buffer.from('%PDF-1.7\n'), zip()])],
  ['locked', await locked({ userPassword: 'secret', ownerPassword: 'owner' })],
  ['owner', await locked({ ownerPassword: 'owner' })],
  ['bomb', bomb()],
  ['nested', nested(10_000)],
  ['huge', imageOf(65_535, 'FlateDecode', deflateSync(Buffer.alloc(10_000)))],
  ['huge jpeg', imageOf(65_500, 'DCTDecode', jpegHead(65_500))],
  ['no pages', pdfOf([])],
  ['tree of itself', edited('/Kids [10 0 R]', '/Kids [2 0 R 2 0 R 10 0 R]')],
  ['two billion pages', edited('/Count 1', '/Count 2147483647')],
  ['minus pages', edited('/Count 1', '/Count -5')],
  ['box', edited('/MediaBox [0 0 600 800]', '/MediaBox [0 0 1e30 -1e30]')],
  ['box0', edited('/MediaBox [0 0 600 800]', '/MediaBox [0 0 0 0]')],
  ['tiny', edited('/MediaBox [0 0 600 800]', '/MediaBox [0 0 .001 99999]')],
  ['contents of itself', edited('/Contents 11 0 R', '/Contents 10 0 R')],
  ['javascript', edited('/Type /Catalog', '/Type /Catalog /OpenAction << /S /JavaScript /JS (while(true){}) >>')],
];

/** The head of a JPEG of so many pixels a side, and nothing behind it. */
function jpegHead(side: number): Buffer {
  const frame = Buffer.from('ffd8ffc0001108000000000301220002110103110100', 'hex');
  frame.writeUInt16BE(side, 7);
  frame.writeUInt16BE(side, 9);
  return Buffer.concat([frame, Buffer.from('ffda000c03010002110311003f00', 'hex'), Buffer.alloc(2000, 0x55), Buffer.from('ffd9', 'hex')]);
}

describe('a file that is not what it should be', () => {
  it('probe', async () => {
    const client = assay.client();
    const worker = await assay.child('work');
    const files = await filesOf();
    const began = performance.now();
    const ids = await client.upload(...files.map(([name, bytes]) => ({ name, bytes })));
    for (const [i, id] of ids.entries()) {
      const r = await assay.resultOf(client, id, 150_000);
      console.log(files[i]![0], r['status'], r['error_type'], JSON.stringify(r['warnings']), r['data']?.general?.year_built, r['pages'], Math.round(performance.now() - began));
    }
    console.log(await assay.peaks(), worker, await assay.child('work'), assay.said.err);
    void JSON_PLEASE; void sharp; void createServer;
  });
});
