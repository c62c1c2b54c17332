import { expect, test } from 'vitest';
import { phoneHeic } from '../../test/support/ml/heic.ts';
import { avifWithVideo, bigEndian, box } from '../../test/support/ml/image-files.ts';
import { stripVideo } from './strip-video.ts';

test('stripVideo returns a file without video unchanged', () => {
  const heic = phoneHeic();
  expect(stripVideo(heic)).toBe(heic);
});

test('stripVideo hides the moov box in a copy without moving data', async () => {
  const file = await avifWithVideo(2, 10);
  const before = Buffer.from(file);
  const stripped = stripVideo(file);
  expect(file).toEqual(before);
  const at = file.indexOf('moov');
  expect(stripped.toString('latin1', at, at + 4)).toBe('free');
  stripped.write('moov', at, 'latin1');
  expect(stripped).toEqual(file);
});

const moov = box('moov', Buffer.alloc(20));
const isGone = (file: Buffer) => !stripVideo(file).includes('moov');

test('stripVideo finds a moov box after a 64-bit box and after another moov box', () => {
  const long = Buffer.concat([bigEndian(1), Buffer.from('mdat'), bigEndian(0), bigEndian(20), Buffer.alloc(4)]);
  expect(isGone(Buffer.concat([long, moov]))).toBe(true);
  expect(isGone(Buffer.concat([moov, moov]))).toBe(true);
});

test('stripVideo stops at a box with an open or invalid length', () => {
  for (const length of [0, 1, 7, 0xffffffff]) {
    const last = Buffer.concat([bigEndian(length), Buffer.from('mdat'), moov]);
    expect(stripVideo(last)).toBe(last);
  }
});

test('stripVideo handles truncation at any byte', async () => {
  const file = await avifWithVideo(1, 10);
  for (let end = 0; end < file.length; end++) expect(stripVideo(file.subarray(0, end))).toHaveLength(end);
});
