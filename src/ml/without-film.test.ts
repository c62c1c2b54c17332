import { expect, test } from 'vitest';
import { phoneHeic } from './testing/heic.ts';
import { avifWithFilms, big, box } from './testing/make-pictures.ts';
import { withoutFilm } from './without-film.ts';

test('stripVideo returns a file without video unchanged', () => {
  const heic = phoneHeic();
  expect(withoutFilm(heic)).toBe(heic);
});

test('stripVideo hides the moov box in a copy without moving data', async () => {
  const file = await avifWithFilms(2, 10);
  const before = Buffer.from(file);
  const stripped = withoutFilm(file);
  expect(file).toEqual(before);
  const at = file.indexOf('moov');
  expect(stripped.toString('latin1', at, at + 4)).toBe('free');
  stripped.write('moov', at, 'latin1');
  expect(stripped).toEqual(file);
});

const moov = box('moov', Buffer.alloc(20));
const isGone = (file: Buffer) => !withoutFilm(file).includes('moov');

test('stripVideo finds a moov box after a 64-bit box and after another moov box', () => {
  const long = Buffer.concat([big(1), Buffer.from('mdat'), big(0), big(20), Buffer.alloc(4)]);
  expect(isGone(Buffer.concat([long, moov]))).toBe(true);
  expect(isGone(Buffer.concat([moov, moov]))).toBe(true);
});

test('stripVideo stops at a box with an open or invalid length', () => {
  for (const length of [0, 1, 7, 0xffffffff]) {
    const last = Buffer.concat([big(length), Buffer.from('mdat'), moov]);
    expect(withoutFilm(last)).toBe(last);
  }
});

test('stripVideo handles truncation at any byte', async () => {
  const file = await avifWithFilms(1, 10);
  for (let end = 0; end < file.length; end++) expect(withoutFilm(file.subarray(0, end))).toHaveLength(end);
});
