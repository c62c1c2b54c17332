import { expect, test } from 'vitest';
import { jpegOfScans, plainImage, segment, webpOfFrames, withSegments } from '../../test/support/ml/image-files.ts';
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

test('isDecodeBomb handles truncation at any byte', async () => {
  const files = { 'image/jpeg': await jpegOfScans(5, 64, 48), 'image/webp': await webpOfFrames(5) } as const;
  for (const type of ['image/jpeg', 'image/webp'] as const) {
    for (let end = 0; end < files[type].length; end++) {
      expect(isDecodeBomb(type, files[type].subarray(0, end))).toBe(false);
    }
  }
});
