import { expect, test } from 'vitest';
import { phoneHeic } from './testing/heic.ts';
import { avifWithFilms, big, box } from './testing/make-pictures.ts';
import { withoutFilm } from './without-film.ts';

test('a file without a film is what it was, not even copied', () => {
  const heic = phoneHeic();
  expect(withoutFilm(heic)).toBe(heic);
});

test('of a file with films nothing moves, and the file itself is not changed', async () => {
  const file = await avifWithFilms(2, 10);
  const before = Buffer.from(file);
  const still = withoutFilm(file);
  expect(file).toEqual(before);
  const at = file.indexOf('moov');
  expect(still.toString('latin1', at, at + 4)).toBe('free');
  still.write('moov', at, 'latin1');
  expect(still).toEqual(file);
});

const film = box('moov', Buffer.alloc(20));
const isGone = (file: Buffer) => !withoutFilm(file).includes('moov');

test('a film is found behind a box whose length takes 64 bits, and behind another film', () => {
  const long = Buffer.concat([big(1), Buffer.from('mdat'), big(0), big(20), Buffer.alloc(4)]);
  expect(isGone(Buffer.concat([long, film]))).toBe(true);
  expect(isGone(Buffer.concat([film, film]))).toBe(true);
});

test('a box that ends with the file, is shorter than itself or goes beyond it is the last one', () => {
  for (const length of [0, 1, 7, 0xffffffff]) {
    const last = Buffer.concat([big(length), Buffer.from('mdat'), film]);
    expect(withoutFilm(last)).toBe(last);
  }
});

test('a file that breaks off anywhere is walked through to its end', async () => {
  const file = await avifWithFilms(1, 10);
  for (let end = 0; end < file.length; end++) expect(withoutFilm(file.subarray(0, end))).toHaveLength(end);
});
