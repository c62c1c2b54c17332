import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { phoneHeic } from '../support/ml/heic.ts';
import {
  avifDescribed,
  avifGrid,
  avifWithVideo,
  bigEndian,
  blackPng,
  box,
  gifFrame,
  gifOf,
  greyTags,
  jpegHead,
  jpegOfScans,
  pixelPng,
  plainImage,
  pngChunk,
  pngHead,
  pngOf,
  riff,
  segment,
  tiffOf,
  tiffOfDirectories,
  webpOf,
  webpOfFrames,
  withDeclaredSize,
  withSegments,
} from '../support/ml/image-files.ts';
import type { Bomb } from './bombs.ts';

// Outcomes as a photo (defectoscopy worker) and as a page (passports gateway).
const DONE = 'done, 201';
const CORRUPT = 'IMAGE_CORRUPT, 415';
const TOO_LARGE = 'IMAGE_TOO_LARGE, 413';
const TOO_SLOW = 'INFERENCE_TIMEOUT, 415';
const UNSUPPORTED = '415, 415';
// Pages do not accept GIF and AVIF.
const UNSUPPORTED_PAGE = {
  done: 'done, 415',
  corrupt: 'IMAGE_CORRUPT, 415',
  tooLarge: 'IMAGE_TOO_LARGE, 415',
  tooSlow: TOO_SLOW,
};

const repeated = (count: number, part: Buffer) => Buffer.concat(Array<Buffer>(count).fill(part));
const zeros = (bytes: number) => deflateSync(Buffer.alloc(bytes), { level: 9 });
const text = (words: string) => Buffer.from(words, 'latin1');
const jpeg = () => plainImage().jpeg().toBuffer();
const withSegmentsBefore = async (...segments: Buffer[]) => withSegments(await jpeg(), ...segments);
const withTail = async (tail: Buffer) => Buffer.concat([await jpeg(), tail]);
const firstHalf = (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1);
const noise = (width: number, height: number) =>
  sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } });

/** Declared dimensions far larger than the file. */
const OVERSIZED: readonly Bomb[] = [
  { name: 'a PNG of 30 000 × 30 000', make: () => blackPng(30_000), ends: TOO_LARGE },
  { name: 'a PNG of 2³¹ × 2³¹', make: () => pngOf(pngHead(2 ** 31 - 1, 2 ** 31 - 1)), ends: CORRUPT },
  { name: 'a JPEG of 65 500 × 65 500', make: () => jpegHead(65_500), ends: TOO_LARGE },
  { name: 'a TIFF of 65 535 × 65 535', make: () => tiffOf(greyTags(65_535, 65_535)), ends: TOO_LARGE },
  { name: 'a TIFF of 2³² × 2³²', make: () => tiffOf(greyTags(0xffffffff, 0xffffffff)), ends: CORRUPT },
  {
    name: 'a GIF of 60 000 × 60 000',
    make: () => gifOf(60_000, 60_000, gifFrame(60_000, 60_000)),
    ends: UNSUPPORTED_PAGE.tooLarge,
  },
  { name: 'a WebP of 2²⁴ × 2⁸', make: async () => webpOf(2 ** 24, 2 ** 8, await bareWebp()), ends: CORRUPT },
  { name: 'a HEIC of 20 000 × 20 000', make: () => withDeclaredSize(phoneHeic(), 20_000, 20_000), ends: TOO_LARGE },
  { name: 'a HEIC of 65 535 × 65 535', make: () => withDeclaredSize(phoneHeic(), 65_535, 65_535), ends: TOO_LARGE },
  {
    name: 'an AVIF of 65 535 × 65 535 with one shared tile',
    make: () => avifGrid(250, 250, 65_535, 65_535),
    ends: UNSUPPORTED_PAGE.corrupt,
  },
  {
    name: 'a GIF of a pixel with a frame of 65 535 × 65 535',
    make: () => gifOf(1, 1, gifFrame(65_535, 65_535)),
    ends: UNSUPPORTED_PAGE.tooLarge,
  },
  {
    name: 'a WebP of a pixel with a frame of 4 000 × 4 000',
    make: async () => webpOf(1, 1, await bareWebp(4000, 4000)),
    ends: CORRUPT,
  },
  {
    name: 'a TIFF of a pixel with a tile of 65 520 × 65 520',
    make: () => tiffOf(greyTags(1, 1, [322, 4, 65_520], [323, 4, 65_520], [324, 4, 8], [325, 4, 8])),
    ends: CORRUPT,
  },
  { name: 'a TIFF of 65 535 channels', make: () => tiffOf(greyTags(7000, 7000, [277, 3, 65_535])), ends: CORRUPT },
  {
    name: 'an AVIF of 64 × 64 with 62 500 tiles',
    make: () => avifGrid(250, 250, 64, 64),
    ends: UNSUPPORTED_PAGE.corrupt,
  },
  {
    name: 'an AVIF of a pixel with a picture of 8 000 × 6 000',
    make: avifWithSmallerHeader,
    ends: UNSUPPORTED_PAGE.corrupt,
  },
  {
    name: 'an interlaced PNG of 49 megapixels, 16 bits a channel',
    make: () => {
      const head = pngHead(7000, 7000, { bits: 16, colour: 6, interlaced: true });
      return pngOf(head, pngChunk('IDAT', zeros(7000 * 7000 * 8 + 20_000)));
    },
    ends: DONE,
    limits: { memoryMib: 700 },
    heavy: true,
  },
];

const REPETITIVE: readonly Bomb[] = [
  { name: 'a JPEG of 50 000 passes', make: () => jpegOfScans(50_000, 8000, 6000), ends: TOO_SLOW },
  { name: 'a JPEG of 80 passes over 48 megapixels', make: () => jpegOfScans(80, 8000, 6000), ends: DONE },
  {
    // As many as a file may have.
    name: 'a GIF of 1 300 000 frames',
    make: () => gifOf(1, 1, repeated(1_300_000, gifFrame(1, 1))),
    ends: UNSUPPORTED_PAGE.tooSlow,
  },
  {
    name: 'a GIF of 2 000 frames',
    make: () => gifOf(1, 1, repeated(2000, gifFrame(1, 1))),
    ends: UNSUPPORTED_PAGE.done,
  },
  { name: 'a WebP of 400 000 frames', make: () => webpOfFrames(400_000), ends: TOO_SLOW },
  { name: 'a WebP of 2 000 frames', make: () => webpOfFrames(2000), ends: DONE },
  {
    name: 'a WebP of 1 000 000 unknown chunks',
    make: async () => webpOf(64, 48, repeated(1e6, riff('none')), await bareWebp()),
    ends: DONE,
  },
  {
    name: 'an APNG of 200 000 frames',
    make: () =>
      pixelPng(
        pngChunk('acTL', Buffer.concat([bigEndian(200_000), bigEndian(0)])),
        repeated(200_000, pngChunk('fcTL', Buffer.alloc(26))),
      ),
    ends: DONE,
  },
  { name: 'a TIFF whose directory links to itself', make: () => tiffOf(greyTags(8, 1), { next: 16 }), ends: DONE },
  {
    // As many as a file may have.
    name: 'a TIFF of 370 000 directories',
    make: () =>
      tiffOfDirectories(
        370_000,
        greyTags(1, 1).filter(([tag]) => [256, 257, 262, 273].includes(tag)),
      ),
    ends: TOO_SLOW,
  },
  { name: 'a TIFF of 1 000 directories', make: () => tiffOfDirectories(1000), ends: DONE },
  {
    name: 'a TIFF of 400 directories with 4 000 unknown tags each',
    make: () => unknownTags(400, 4000),
    ends: TOO_SLOW,
  },
  { name: 'a TIFF of 50 directories with 900 unknown tags each', make: () => unknownTags(50, 900), ends: DONE },
  { name: 'a TIFF of 1 000 directories with the same 2 million strips', make: sharedStrips, ends: TOO_SLOW },
  {
    name: 'an AVIF with 30 video tracks of ten million frames',
    make: () => avifWithVideo(30, 10e6),
    ends: UNSUPPORTED_PAGE.done,
  },
  {
    name: 'a HEIC with 30 video tracks of ten million frames',
    make: async () => heicWith(await avifWithVideo(30, 10e6)),
    ends: DONE,
  },
];

const METADATA: readonly Bomb[] = [
  {
    name: 'a PNG with a comment of 100 MB',
    make: () => pixelPng(compressedText('zTXt', 'Comment', 100e6)),
    ends: DONE,
  },
  {
    name: 'a PNG with a comment of 2 GB',
    make: () => pixelPng(compressedText('zTXt', 'Comment', 2e9)),
    ends: DONE,
    heavy: true,
  },
  { name: 'a PNG with a profile of 100 MB', make: () => pixelPng(compressedText('iCCP', 'icc', 100e6)), ends: DONE },
  {
    name: 'a PNG with 200 000 comments',
    make: () => pixelPng(repeated(200_000, pngChunk('tEXt', text('a\0b')))),
    ends: DONE,
  },
  {
    name: 'an AVIF with a description of 300 MB',
    make: () => avifDescribed(zeros(300e6)),
    ends: UNSUPPORTED_PAGE.done,
  },
  {
    name: 'a JPEG with 200 000 comments',
    make: () => withSegmentsBefore(repeated(200_000, segment(0xfe, text('a')))),
    ends: DONE,
  },
  {
    name: 'a JPEG with 200 000 tables',
    make: () => withSegmentsBefore(repeated(200_000, segment(0xdb, Buffer.alloc(65, 1)))),
    ends: DONE,
  },
  { name: 'a JPEG with a profile of 16 MB', make: () => withSegmentsBefore(...profile()), ends: DONE },
  {
    name: 'a JPEG with an EXIF directory that links to itself',
    make: () => withSegmentsBefore(segment(0xe1, text(EXIF_LOOP))),
    ends: DONE,
  },
  { name: 'an AVIF with boxes nested 100 000 deep', make: () => nested(100_000), ends: UNSUPPORTED_PAGE.corrupt },
];

const OTHER: readonly Bomb[] = [
  { name: 'a JPEG followed by a ZIP archive', make: () => withTail(text('PK\x03\x04\x14\0\0\0\x08\0')), ends: DONE },
  { name: 'a JPEG followed by a video, as phones write it', make: () => withTail(randomBytes(16e6)), ends: DONE },
  { name: 'a truncated JPEG', make: async () => firstHalf(await noise(900, 900).jpeg().toBuffer()), ends: CORRUPT },
  {
    name: 'a truncated interlaced PNG',
    make: async () => firstHalf(await noise(900, 900).png({ progressive: true }).toBuffer()),
    ends: CORRUPT,
  },
  {
    name: 'an SVG with a script',
    make: () => text('<svg xmlns="http://www.w3.org/2000/svg"><script>for(;;);</script></svg>'),
    ends: UNSUPPORTED,
  },
  { name: 'a BMP', make: () => Buffer.concat([text('BM'), Buffer.alloc(50, 0x7f)]), ends: UNSUPPORTED },
  { name: 'an ICO', make: () => Buffer.concat([text('\0\0\x01\0'), Buffer.alloc(50, 0xff)]), ends: UNSUPPORTED },
  {
    name: 'a JPEG 2000',
    make: () => text('\0\0\0\x0cjP  \r\n\x87\n\0\0\0\x14ftypjp2 \0\0\0\0jp2 '),
    ends: UNSUPPORTED,
  },
  { name: 'a JPEG XL', make: () => Buffer.concat([text('\xff\x0a'), Buffer.alloc(50, 0xff)]), ends: UNSUPPORTED },
  { name: 'a PDF', make: () => text('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n'), ends: UNSUPPORTED },
];

export const PICTURES: readonly Bomb[] = [...OVERSIZED, ...REPETITIVE, ...METADATA, ...OTHER];

const bareWebp = async (width?: number, height?: number) =>
  (await plainImage(width, height).webp().toBuffer()).subarray(12);

/** An AVIF whose declared size is smaller than the encoded picture. */
async function avifWithSmallerHeader(): Promise<Buffer> {
  const bytes = await plainImage(8000, 6000).avif({ effort: 0 }).toBuffer();
  const size = Buffer.concat([bigEndian(8000), bigEndian(6000)]);
  Buffer.concat([bigEndian(1), bigEndian(1)]).copy(bytes, bytes.indexOf(size));
  return bytes;
}

function heicWith(films: Buffer): Buffer {
  const at = films.indexOf('moov') - 4;
  return Buffer.concat([phoneHeic(), films.subarray(at, at + films.readUInt32BE(at))]);
}

const unknownTags = (directories: number, tags: number) =>
  tiffOfDirectories(
    directories,
    greyTags(8, 1, ...Array.from({ length: tags }, (_, i) => [40_000 + i, 3, 1] as const)),
  );

function sharedStrips(): Buffer {
  const strips = 2_000_000;
  const tags = greyTags(1, strips, [278, 4, 1]);
  const file = Buffer.concat([tiffOfDirectories(1000, tags), Buffer.alloc(4 * strips, 1)]);
  const length = 2 + 12 * tags.length + 4;
  for (let i = 0; i < 1000; i++)
    for (const tag of [273, 279]) {
      const at = 16 + i * length + 2 + 12 * tags.findIndex(([each]) => each === tag);
      file.writeUInt32LE(strips, at + 4);
      file.writeUInt32LE(file.length - 4 * strips, at + 8);
    }
  return file;
}

const compressedText = (type: string, name: string, bytes: number) =>
  pngChunk(type, Buffer.concat([text(`${name}\0\0`), zeros(bytes)]));

const profile = () =>
  Array.from({ length: 255 }, (_, i) =>
    segment(0xe2, Buffer.concat([text('ICC_PROFILE\0'), Buffer.from([i + 1, 255]), Buffer.alloc(65_000, i)])),
  );

const EXIF_LOOP = 'Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\x08\0\0\0';

function nested(depth: number): Buffer {
  const boxes = Array.from({ length: depth }, (_, i) =>
    Buffer.concat([bigEndian((depth - i) * 12), text('meta'), bigEndian(0)]),
  );
  return Buffer.concat([box('ftyp', text('avif\0\0\0\0mif1avif')), ...boxes]);
}
