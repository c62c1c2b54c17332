import { expect, test } from 'vitest';
import {
  gifFrame,
  gifOf,
  greyTags,
  jpegOfScans,
  plainImage,
  segment,
  tiffOf,
  tiffOfDirectories,
  webpOfFrames,
  withSegments,
} from '../../test/support/ml/image-files.ts';
import { isDecodeBomb } from './decode-bomb.ts';

test('isDecodeBomb accepts JPEGs of up to 100 scans', async () => {
  expect(isDecodeBomb('image/jpeg', await plainImage().jpeg({ progressive: true }).toBuffer())).toBe(false);
  expect(isDecodeBomb('image/jpeg', await jpegOfScans(50, 64, 48))).toBe(false);
  expect(isDecodeBomb('image/jpeg', await jpegOfScans(101, 64, 48))).toBe(true);
});

test('isDecodeBomb accepts WebPs of up to 2000 frames', async () => {
  expect(isDecodeBomb('image/webp', await webpOfFrames(2000))).toBe(false);
  expect(isDecodeBomb('image/webp', await webpOfFrames(2001))).toBe(true);
});

const scans = Buffer.from('ffda'.repeat(200), 'hex');

test('isDecodeBomb ignores scan markers in previews, comments and trailing data', async () => {
  const jpeg = await plainImage().jpeg().toBuffer();
  for (const bytes of [
    withSegments(jpeg, segment(0xe1, scans)),
    withSegments(jpeg, segment(0xfe, scans)),
    Buffer.concat([jpeg, scans]),
  ]) {
    expect(isDecodeBomb('image/jpeg', bytes)).toBe(false);
  }
});

test('isDecodeBomb finds scans after fill bytes, restart markers and junk', async () => {
  const scan = segment(0xda, Buffer.from([1, 1, 0, 1, 63, 0]));
  const apart = ['ffff', 'ffd0', 'ff00', '1234ff00ff01'].map((hex) => Buffer.concat([Buffer.from(hex, 'hex'), scan]));
  const jpeg = (await plainImage().jpeg().toBuffer()).subarray(0, -2);
  const bytes = Buffer.concat([jpeg, ...Array<Buffer[]>(26).fill(apart).flat()]);
  expect(isDecodeBomb('image/jpeg', bytes)).toBe(true);
});

const repeated = (count: number, part: Buffer) => Buffer.concat(Array<Buffer>(count).fill(part));

test('isDecodeBomb accepts GIFs of up to 2000 frames', () => {
  expect(isDecodeBomb('image/gif', gifOf(1, 1, repeated(2000, gifFrame(1, 1))))).toBe(false);
  expect(isDecodeBomb('image/gif', gifOf(1, 1, repeated(2001, gifFrame(1, 1))))).toBe(true);
});

test('isDecodeBomb finds GIF frames after colour tables, comments and other extensions', () => {
  const frame = gifFrame(1, 1);
  const withTable = Buffer.concat([frame.subarray(0, 9), Buffer.from([0x81]), Buffer.alloc(12), frame.subarray(10)]);
  const comment = Buffer.from('!\xfe\x02,,\x01;\0', 'latin1');
  const control = Buffer.from('!\xf9\x04\0\0\0\0\0', 'latin1');
  const count = (frames: number) => gifOf(1, 1, repeated(frames, Buffer.concat([comment, control, withTable])));
  expect(isDecodeBomb('image/gif', count(2000))).toBe(false);
  expect(isDecodeBomb('image/gif', count(2001))).toBe(true);
});

test('isDecodeBomb accepts TIFFs of up to 1000 directories', () => {
  expect(isDecodeBomb('image/tiff', tiffOfDirectories(1000))).toBe(false);
  expect(isDecodeBomb('image/tiff', tiffOfDirectories(1001))).toBe(true);
});

test.each([
  ['II', 42],
  ['MM', 42],
  ['II', 43],
  ['MM', 43],
] as const)('isDecodeBomb follows the directories of a TIFF %s %i', (order, version) => {
  expect(isDecodeBomb('image/tiff', emptyDirectories(order, version, 1000))).toBe(false);
  expect(isDecodeBomb('image/tiff', emptyDirectories(order, version, 1001))).toBe(true);
});

/** Each directory has one tag without values. */
function emptyDirectories(order: 'II' | 'MM', version: 42 | 43, count: number): Buffer {
  const isBig = version === 43;
  const number = (value: number, bytes: number) => {
    const field = Buffer.alloc(bytes);
    field.writeUIntBE(value, Math.max(0, bytes - 4), Math.min(4, bytes));
    return order === 'MM' ? field : field.reverse();
  };
  const short = (value: number) => number(value, 2);
  const offset = (value: number) => number(value, isBig ? 8 : 4);
  const head = [Buffer.from(order), short(version), ...(isBig ? [short(8), short(0)] : [])];
  const start = isBig ? 16 : 8;
  const length = isBig ? 8 + 20 + 8 : 2 + 12 + 4;
  const directory = (i: number) => [
    isBig ? number(1, 8) : short(1),
    ...[short(256), short(3), offset(1), offset(1)],
    offset(i === count - 1 ? 0 : start + (i + 1) * length),
  ];
  return Buffer.concat([...head, offset(start), ...Array.from({ length: count }, (_, i) => directory(i)).flat()]);
}

test('isDecodeBomb limits the tags of a TIFF', () => {
  const ofTags = (directories: number, tags: number) =>
    tiffOfDirectories(
      directories,
      Array.from({ length: tags }, (_, i) => [1000 + i, 3, 1] as const),
    );
  expect(isDecodeBomb('image/tiff', ofTags(1, 1000))).toBe(false);
  expect(isDecodeBomb('image/tiff', ofTags(1, 1001))).toBe(true);
  expect(isDecodeBomb('image/tiff', ofTags(50, 1000))).toBe(false);
  expect(isDecodeBomb('image/tiff', ofTags(51, 1000))).toBe(true);
});

test('isDecodeBomb limits the values that the directories of a TIFF share', () => {
  const sharing = (directories: number) => {
    const file = Buffer.concat([tiffOfDirectories(directories, [[700, 4, 0]]), Buffer.alloc(1e6)]);
    for (let i = 0; i < directories; i++) {
      file.writeUInt32LE(250_000, 16 + i * 18 + 6);
      file.writeUInt32LE(file.length - 1e6, 16 + i * 18 + 10);
    }
    return file;
  };
  expect(isDecodeBomb('image/tiff', sharing(100))).toBe(false);
  expect(isDecodeBomb('image/tiff', sharing(101))).toBe(true);
});

test('isDecodeBomb ends at a TIFF directory that links to itself or outside the file', () => {
  for (const next of [16, 1, 1e6, 0xffffffff])
    expect(isDecodeBomb('image/tiff', tiffOf(greyTags(8, 1), { next }))).toBe(false);
});

test('isDecodeBomb handles truncation at any byte', async () => {
  const files = {
    'image/jpeg': await jpegOfScans(5, 64, 48),
    'image/webp': await webpOfFrames(5),
    'image/gif': gifOf(1, 1, repeated(5, gifFrame(1, 1))),
    'image/tiff': tiffOfDirectories(5),
  } as const;
  const all = [...Object.entries(files), ['image/tiff', emptyDirectories('MM', 43, 5)] as const] as readonly (readonly [
    keyof typeof files,
    Buffer,
  ])[];
  for (const [type, file] of all) {
    for (let end = 0; end < file.length; end++) expect(isDecodeBomb(type, file.subarray(0, end))).toBe(false);
  }
});
