import { expect, test } from 'vitest';
import { hasManyPasses } from './many-passes.ts';
import { jpegOfScans, plain, segment, webpOfFrames, withSegments } from './testing/make-pictures.ts';

test('a JPEG may have as many scans as any program writes, and not thousands', async () => {
  expect(hasManyPasses('image/jpeg', await plain().jpeg({ progressive: true }).toBuffer())).toBe(false);
  expect(hasManyPasses('image/jpeg', await jpegOfScans(50, 64, 48))).toBe(false);
  expect(hasManyPasses('image/jpeg', await jpegOfScans(101, 64, 48))).toBe(true);
});

test('a film has as many frames as people look at', async () => {
  expect(hasManyPasses('image/webp', await webpOfFrames(2000))).toBe(false);
  expect(hasManyPasses('image/webp', await webpOfFrames(2001))).toBe(true);
});

const scans = Buffer.from('ffda'.repeat(200), 'hex');

test('what looks like scans and is none does not count: in a preview, in a remark, in a film behind the picture', async () => {
  const jpeg = await plain().jpeg().toBuffer();
  for (const bytes of [
    withSegments(jpeg, segment(0xe1, scans)),
    withSegments(jpeg, segment(0xfe, scans)),
    Buffer.concat([jpeg, scans]),
  ]) {
    expect(hasManyPasses('image/jpeg', bytes)).toBe(false);
  }
});

test('scans are found where they lie apart: behind filled room, restarts and bytes that are nothing', async () => {
  const scan = segment(0xda, Buffer.from([1, 1, 0, 1, 63, 0]));
  const apart = ['ffff', 'ffd0', 'ff00', '1234ff00ff01'].map((hex) => Buffer.concat([Buffer.from(hex, 'hex'), scan]));
  const jpeg = (await plain().jpeg().toBuffer()).subarray(0, -2);
  const bytes = Buffer.concat([jpeg, ...Array<Buffer[]>(26).fill(apart).flat()]);
  expect(hasManyPasses('image/jpeg', bytes)).toBe(true);
});

test('a file that breaks off anywhere is walked through to its end', async () => {
  const files = { 'image/jpeg': await jpegOfScans(5, 64, 48), 'image/webp': await webpOfFrames(5) } as const;
  for (const type of ['image/jpeg', 'image/webp'] as const) {
    for (let end = 0; end < files[type].length; end++) {
      expect(hasManyPasses(type, files[type].subarray(0, end))).toBe(false);
    }
  }
});
