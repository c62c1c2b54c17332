import { describe, expect, it } from 'vitest';
import { firstFrame, frameAt, id3Length, sniffAudio } from './sniff-audio.ts';

const latin = (text: string) => Buffer.from(text, 'latin1');
const iso = (brand: string) => latin(`\0\0\0\x18ftyp${brand}\0\0\0\0`);
/** `count` frames, each with its header, then zeros. */
const frames = (header: number[], bytes: number, count: number) =>
  Buffer.concat(
    Array.from({ length: count }, () => Buffer.concat([Buffer.from(header), Buffer.alloc(bytes - header.length)])),
  );
// MPEG 1, layer III, 128 kbit/s, 44 100/s, stereo: 417 bytes. ADTS, AAC LC, 44 100/s, stereo, 200 bytes.
const mp3 = frames([0xff, 0xfb, 0x90, 0x00], 417, 5);
const aac = frames([0xff, 0xf1, 0x50, 0x80, 0x19, 0x1f, 0xfc], 200, 5);
const id3 = (size: number, flags = 0) =>
  Buffer.concat([Buffer.from([0x49, 0x44, 0x33, 4, 0, flags, 0, 0, size >> 7, size & 0x7f]), Buffer.alloc(size)]);

describe('sniffAudio', () => {
  it.each([
    ['wav', latin('RIFF\0\0\0\0WAVEfmt ')],
    ['wav', latin('RF64\xff\xff\xff\xffWAVEds64')],
    ['mp3', mp3],
    ['mp3', Buffer.concat([Buffer.alloc(1000), mp3])],
    ['mp3', Buffer.concat([id3(100), mp3])],
    ['mp3', latin('ID3\x04\0\0\0\x7f\0\0')],
    ['aac', aac],
    ['aac', Buffer.concat([id3(100), aac])],
    ['m4a', iso('M4A ')],
    ['m4a', iso('M4B ')],
    ['mp4', iso('isom')],
    ['mp4', iso('mp42')],
    ['mp4', iso('qt  ')],
    ['mp4', iso('3gp5')],
    ['mp4', latin('\0\0\0\x08wide\0\0\0\0mdat')],
    ['ogg', latin(`OggS\0\x02${'\0'.repeat(22)}\x01vorbis`)],
    ['opus', latin(`OggS\0\x02${'\0'.repeat(22)}OpusHead`)],
    ['flac', latin('fLaC\0\0\0\x22')],
    ['flac', Buffer.concat([id3(100), latin('fLaC\0\0\0\x22')])],
    ['webm', latin('\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm')],
    ['webm', latin('\x1a\x45\xdf\xa3\xa3\x42\x86\x81\x01\x42\x82\x88matroska')],
    ['amr', latin('#!AMR\n\x3c')],
    ['amr', latin('#!AMR-WB\n\x3c')],
  ] as const)('detects %s', (type, head) => expect(sniffAudio(head)).toBe(type));

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['text', latin('just some text')],
    ['UTF-16 text', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('MP3 frames begin like this', 'utf16le')])],
    ['JPEG', latin('\xff\xd8\xff\xe0\0\x10JFIF\0')],
    ['a single frame among other things', Buffer.concat([mp3.subarray(0, 417), Buffer.alloc(2000, 7)])],
    ['HEIC', iso('heic')],
    ['AVIF', iso('avif')],
    ['WebP', latin('RIFF\0\0\0\0WEBPVP8 ')],
    ['other EBML', latin('\x1a\x45\xdf\xa3\x9f\x42\x82\x84blob')],
    ['a playlist', latin('#EXTM3U\n')],
    ['a tag with text behind it', Buffer.concat([id3(100), Buffer.alloc(5000, 0x41)])],
  ])('returns undefined for %s', (_, head) => expect(sniffAudio(head)).toBeUndefined());
});

describe('frameAt and firstFrame', () => {
  it('read the frame length from the header', () => {
    expect(frameAt(mp3, 0)).toMatchObject({ kind: 'mp3', bytes: 417, sampleRate: 44_100, samples: 1152, channels: 2 });
    // Padded by a byte; mono; MPEG 2 (half the rate), 64 kbit/s at 22 050: 72·64000/22050 = 208.
    expect(frameAt(Buffer.from([0xff, 0xfb, 0x92, 0xc0, 0, 0, 0]), 0)).toMatchObject({ bytes: 418, channels: 1 });
    expect(frameAt(Buffer.from([0xff, 0xf3, 0x80, 0, 0, 0, 0]), 0)).toMatchObject({
      bytes: 208,
      sampleRate: 22_050,
      samples: 576,
    });
    expect(frameAt(aac, 0)).toMatchObject({ kind: 'aac', bytes: 200, sampleRate: 44_100, samples: 1024, channels: 2 });
  });

  it('find a frame behind zeros, but only if similar frames follow', () => {
    expect(firstFrame(Buffer.concat([Buffer.alloc(77), mp3]))).toMatchObject({ at: 77 });
    expect(firstFrame(mp3.subarray(5, 500))).toBeUndefined();
  });

  it('accept a recording of one or two frames', () => {
    expect(firstFrame(mp3.subarray(0, 417))).toMatchObject({ at: 0 });
    expect(firstFrame(mp3.subarray(0, 834))).toMatchObject({ at: 0 });
  });
});

it('id3Length reads the length at seven bits per byte and adds the footer', () => {
  expect(id3Length(id3(300))).toBe(310);
  expect(id3Length(id3(300, 0x10))).toBe(320);
  expect(id3Length(latin('IDE'))).toBe(0);
});
