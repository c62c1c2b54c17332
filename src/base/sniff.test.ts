import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { sniffImage } from './sniff.ts';

const picture = () => sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } });
const box = (...brands: string[]) => {
  const [major = '', ...others] = brands;
  const head = Buffer.from(`\0\0\0\0ftyp${major}\0\0\0\0${others.join('')}`, 'latin1');
  head.writeUInt32BE(head.length, 0);
  return Buffer.concat([head, Buffer.from('\0\0\0\x10metaheic', 'latin1')]);
};

describe('sniffImage', () => {
  it.each(['jpeg', 'png', 'webp', 'tiff', 'gif', 'avif'] as const)('detects a real %s', async (format) => {
    expect(sniffImage(await picture().toFormat(format).toBuffer())).toBe(`image/${format}`);
  });
  it.each([
    ['image/heic', box('heic', 'mif1')],
    ['image/heic', box('mif1', 'miaf', 'heix')],
    ['image/heic', box('msf1', 'hevc')],
    ['image/avif', box('mif1', 'avif')],
    ['image/avif', box('avis')],
    ['image/tiff', Buffer.from('MM\0*\0\0\0\x08')],
    ['image/tiff', Buffer.from('II+\0\x08\0\0\0')],
    ['image/gif', Buffer.from('GIF87a')],
  ])('detects %s by its first bytes', (type, head) => expect(sniffImage(head)).toBe(type));

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['two bytes of a JPEG', Buffer.from([0xff, 0xd8])],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['BMP', Buffer.from('BM\0\0\0\0')],
    ['HTML', Buffer.from('<!doctype html>')],
    ['PDF', Buffer.from('%PDF-1.7')],
    ['WAV', Buffer.from('RIFF\0\0\0\0WAVEfmt ')],
    ['MP4', box('isom', 'mp42')],
    ['a container that says only HEIF', box('mif1')],
    ['a container cut short', Buffer.from('\0\0\0\x18ftyp')],
  ])('returns undefined for %s', (_, head) => expect(sniffImage(head)).toBeUndefined());
});
