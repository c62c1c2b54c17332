import { deflateSync, gzipSync } from 'node:zlib';
import { voiceBytes, wav } from '../support/audio/recordings.ts';
import type { Bomb } from './bombs.ts';

/** A hostile recording and its outcome with ffmpeg and with the WebAssembly decoders. */
export interface HostileRecording extends Omit<Bomb, 'ends'> {
  readonly ends: string | { readonly ffmpeg: string; readonly wasm: string };
}

const [DONE, CORRUPT, TOO_LONG, UNSUPPORTED] = [
  'done',
  'AUDIO_CORRUPT',
  'AUDIO_TOO_LONG',
  'AUDIO_UNSUPPORTED',
] as const;
/** `POST /files` rejects bytes that are not a recording. */
const REJECTED = 'rejected with 415';
const MIB = 2 ** 20;

const second = new Float32Array(16_000);

const WAVS: readonly HostileRecording[] = [
  {
    name: 'a WAV with a declared size of 4 GiB',
    make: () => wav(second, { claims: { size: 0xffffffff } }),
    ends: DONE,
  },
  { name: 'a WAV of 65 535 channels', make: () => wav(second, { claims: { channels: 65_535 } }), ends: CORRUPT },
  { name: 'a WAV of one sample a second', make: () => wav(second, { claims: { rate: 1 } }), ends: CORRUPT },
  { name: 'a WAV of 4 GHz', make: () => wav(second, { claims: { rate: 0xffffffff } }), ends: CORRUPT },
  { name: 'a WAV with a block size of 0', make: () => wav(second, { claims: { block: 0 } }), ends: CORRUPT },
  { name: 'a WAV with an unknown codec', make: () => wav(second, { claims: { tag: 0x7777 } }), ends: UNSUPPORTED },
  { name: 'a WAV of 100 000 chunks', make: () => chunks(100_000), ends: CORRUPT },
  { name: 'a WAV of five hours', make: () => wav(new Uint8Array(18_000_000), { rate: 1000, bits: 8 }), ends: TOO_LONG },
];

function chunks(count: number): Buffer {
  const whole = wav(second);
  const empty = Buffer.from('junk\0\0\0\0', 'latin1');
  return Buffer.concat([whole.subarray(0, 12), ...Array<Buffer>(count).fill(empty), whole.subarray(12)]);
}

const FLACS: readonly HostileRecording[] = [
  { name: 'a FLAC of a minute in a few hundred bytes', make: () => silentFlac(60), ends: DONE },
  { name: 'a FLAC of a minute with a declared second', make: () => silentFlac(60, { says: 8000 }), ends: DONE },
  { name: 'a FLAC of ten minutes in a kilobyte', make: () => silentFlac(600), ends: DONE, heavy: true },
  {
    name: 'a FLAC with a declared length of ten years',
    make: () => silentFlac(1, { says: 2 ** 36 - 1 }),
    ends: TOO_LONG,
  },
  { name: 'a FLAC of five hours in 20 KB', make: () => silentFlac(5 * 3600), ends: TOO_LONG, heavy: true },
  { name: 'a FLAC with 100 000 empty metadata blocks', make: () => silentFlac(8, { blocks: 100_000 }), ends: DONE },
  {
    name: 'a FLAC with a picture block without its data',
    make: () => Buffer.concat([silentFlac(8).subarray(0, 4 + 38), Buffer.from([6, 0xff, 0xff, 0xff]), silentFlac(8)]),
    ends: DONE,
  },
];

/**
 * Silence in FLAC (RFC 9639): each frame of 16 bytes decodes to 65 535 samples at 8 kHz. `says` is the declared number of
 * samples (0: unknown), `blocks` the number of empty metadata blocks.
 */
function silentFlac(seconds: number, { says = 0, blocks = 0 } = {}): Buffer {
  const info = Buffer.alloc(34);
  info.writeUInt32BE(0xffff_ffff, 0);
  info.writeBigUInt64BE((8000n << 44n) | (15n << 36n) | BigInt(says), 10);
  const frames = Array.from({ length: Math.ceil((seconds * 8000) / 65_535) }, (_, number) => {
    const head = Buffer.concat([Buffer.from([0xff, 0xf8, 0x74, 0x08]), utf8(number), Buffer.from([0xff, 0xfe])]);
    const checked = Buffer.concat([head, Buffer.from([crc(head, 8, 0x07), 0, 0, 0])]);
    const end = Buffer.alloc(2);
    end.writeUInt16BE(crc(checked, 16, 0x8005));
    return Buffer.concat([checked, end]);
  });
  const padding = Array.from({ length: blocks }, (_, i) => Buffer.from([i + 1 < blocks ? 1 : 0x81, 0, 0, 0]));
  const first = Buffer.from([blocks > 0 ? 0 : 0x80, 0, 0, 34]);
  return Buffer.concat([Buffer.from('fLaC'), first, info, ...padding, ...frames]);
}

/** FLAC's frame number: UTF-8 coding of a number below 0x10000. */
const utf8 = (number: number) => Buffer.from(String.fromCharCode(number), 'utf8');

function crc(bytes: Buffer, width: 8 | 16 | 32, polynomial: number): number {
  const [top, mask] = [2 ** (width - 1), 2 ** width - 1];
  let sum = 0;
  for (const byte of bytes) {
    sum = (sum ^ (byte * 2 ** (width - 8))) >>> 0;
    for (let bit = 0; bit < 8; bit++) sum = (((sum << 1) ^ (sum & top ? polynomial : 0)) & mask) >>> 0;
  }
  return sum;
}

const OGGS: readonly HostileRecording[] = [
  { name: 'an Opus of 255 channels', make: () => edited(voiceBytes('opus'), 'OpusHead', 9, 255), ends: CORRUPT },
  {
    name: 'an Opus with a declared length of a million years',
    make: () =>
      Buffer.concat([voiceBytes('opus'), page({ serial: serialOf('opus'), position: 2n ** 62n, last: true })]),
    ends: TOO_LONG,
  },
  { name: '3000 chained Ogg streams', make: () => chained(3000), ends: DONE },
  {
    name: 'an Ogg with 30 000 empty pages',
    make: () => Buffer.concat([voiceBytes('ogg'), ...pages(30_000, () => page({ serial: serialOf('ogg') }))]),
    ends: DONE,
  },
  {
    name: 'an Ogg with an endless packet',
    make: () =>
      Buffer.concat([
        voiceBytes('opus'),
        ...pages(100, (n) => page({ serial: serialOf('opus'), n, body: Buffer.alloc(255 * 255) })),
      ]),
    ends: DONE,
  },
  {
    name: 'an Ogg with 20 000 concurrent streams',
    make: () =>
      Buffer.concat([
        ...pages(20_000, (serial) => page({ serial: serial + 7, first: true, body: opusHead() })),
        voiceBytes('opus'),
      ]),
    ends: CORRUPT,
  },
];

const serialOf = (voice: 'opus' | 'ogg') => voiceBytes(voice).readUInt32LE(14);
const pages = (count: number, make: (n: number) => Buffer) => Array.from({ length: count }, (_, n) => make(n));
const opusHead = () => voiceBytes('opus').subarray(28, 28 + 19);

/** An Ogg page (RFC 3533). A body whose length is a multiple of 255 continues on the next page. */
function page(of: {
  serial: number;
  n?: number;
  position?: bigint;
  first?: boolean;
  last?: boolean;
  body?: Buffer;
}): Buffer {
  const { serial, n = 1000, position = -1n, first = false, last = false, body = Buffer.alloc(0) } = of;
  const lacing = [
    ...Array<number>(Math.floor(body.length / 255)).fill(255),
    ...(body.length % 255 ? [body.length % 255] : []),
  ];
  const head = Buffer.alloc(27);
  head.write('OggS', 'latin1');
  head[5] = (first ? 2 : 0) | (last ? 4 : 0);
  head.writeBigInt64LE(position, 6);
  head.writeUInt32LE(serial, 14);
  head.writeUInt32LE(n, 18);
  head[26] = lacing.length;
  const whole = Buffer.concat([head, Buffer.from(lacing), body]);
  whole.writeUInt32LE(crc(whole, 32, 0x04c11db7), 22);
  return whole;
}

function chained(count: number): Buffer {
  const tags = Buffer.concat([Buffer.from('OpusTags'), Buffer.alloc(8)]);
  const link = (serial: number) => [
    page({ serial, n: 0, position: 0n, first: true, body: opusHead() }),
    page({ serial, n: 1, position: 0n, last: true, body: tags }),
  ];
  return Buffer.concat([...pages(count, (n) => Buffer.concat(link(n + 7))), voiceBytes('opus')]);
}

function edited(bytes: Buffer, name: string, offset: number, ...values: number[]): Buffer {
  const copy = Buffer.from(bytes);
  Buffer.from(values).copy(copy, copy.indexOf(name) + offset);
  return copy;
}

const FRAMES: readonly HostileRecording[] = [
  { name: 'an MP3 with tags only', make: () => id3().subarray(0, 10), ends: CORRUPT },
  {
    name: 'an MP3 after 5000 tags',
    make: () => Buffer.concat([...pages(5000, () => id3()), voiceBytes('mp3')]),
    ends: CORRUPT,
  },
  {
    name: 'an MP3 after a tag with a declared size of 256 MiB',
    make: () => Buffer.concat([id3(2 ** 28 - 1), voiceBytes('mp3')]),
    ends: CORRUPT,
  },
  {
    name: 'an MP3 after a tag that inflates to 255 MiB',
    make: () => Buffer.concat([inflatingTag(255 * MIB), voiceBytes('mp3')]),
    ends: DONE,
  },
  { name: 'an MP3 with 4 000 000 000 declared frames', make: () => mp3WithFrameCount(0xffff_ffff), ends: TOO_LONG },
  { name: 'an MP3 with a declared length of an hour', make: () => mp3WithFrameCount(150_000), ends: CORRUPT },
  {
    name: 'an AAC with 100 000 empty frames',
    make: () => Buffer.concat([voiceBytes('aac'), adts(100_000)]),
    ends: DONE,
  },
];

/** An ID3v2.3 tag (§3.1) with a declared size and the given frames. */
function id3(says = 0, frames: Buffer = Buffer.alloc(0)): Buffer {
  const size = [21, 14, 7, 0].map((shift) => (says >> shift) & 0x7f);
  return Buffer.concat([Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, ...size]), frames]);
}

function inflatingTag(bytes: number): Buffer {
  const body = Buffer.concat([uint32s(bytes), deflateSync(Buffer.alloc(bytes), { level: 1 })]);
  const frame = Buffer.concat([Buffer.from('TXXX'), uint32s(body.length), Buffer.from([0, 0x80]), body]);
  return id3(frame.length, frame);
}

function uint32s(...all: number[]): Buffer {
  const bytes = Buffer.alloc(4 * all.length);
  for (const [i, word] of all.entries()) bytes.writeUInt32BE(word, 4 * i);
  return bytes;
}

const mp3WithFrameCount = (frames: number) => edited(voiceBytes('mp3'), 'Info', 8, ...uint32s(frames));
const adts = (count: number) => Buffer.alloc(7 * count, Buffer.from([0xff, 0xf1, 0x60, 0x40, 0, 0x1f, 0xfc]));
const MP4S: readonly HostileRecording[] = [
  {
    name: 'an M4A with four billion declared samples of one size',
    make: () => m4a('stsz', 0, 1, 0xffffffff),
    ends: CORRUPT,
  },
  { name: 'an M4A with four billion declared sample sizes', make: () => m4a('stsz', 0, 0, 0xffffffff), ends: CORRUPT },
  { name: 'an M4A with four billion declared chunk offsets', make: () => m4a('stco', 0, 0xffffffff), ends: CORRUPT },
  { name: 'an M4A with four billion declared sample times', make: () => m4a('stts', 0, 0xffffffff), ends: CORRUPT },
  {
    name: 'an M4A with four billion declared sample descriptions',
    make: () => m4a('stsd', 0, 0xffffffff),
    ends: { ffmpeg: CORRUPT, wasm: DONE },
  },
  { name: 'an M4A with 100 tracks of 11 million samples', make: () => tracks(100, 11_000_000), ends: CORRUPT },
  {
    name: 'an M4A with a fragment of four billion samples',
    make: () => Buffer.concat([voiceBytes('m4a'), box('moof', box('traf', box('trun', uint32s(0, 0xffffffff))))]),
    ends: CORRUPT,
  },
  { name: 'an M4A with boxes nested 100 000 deep', make: () => inMoov(nested(100_000)), ends: CORRUPT },
  {
    name: 'an M4A with 100 000 empty boxes',
    make: () => inMoov(Buffer.concat(pages(100_000, () => box('free')))),
    ends: DONE,
  },
  { name: 'an M4A with a declared index size of 512 MiB', make: () => m4aHead('moov', 2 ** 29), ends: CORRUPT },
];

const m4a = (name: string, ...all: number[]) => edited(voiceBytes('m4a'), name, 4, ...uint32s(...all));
const m4aHead = (name: string, size: number) => edited(voiceBytes('m4a'), name, -4, ...uint32s(size));

function box(type: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([uint32s(8 + body.length), Buffer.from(type, 'latin1'), body]);
}

/** The voice with data appended to `moov`, the last box of the file. */
function inMoov(more: Buffer): Buffer {
  const whole = Buffer.concat([voiceBytes('m4a'), more]);
  const at = whole.indexOf('moov') - 4;
  whole.writeUInt32BE(whole.length - at, at);
  return whole;
}

function nested(depth: number): Buffer {
  const whole = Buffer.alloc(8 * depth);
  for (let i = 0; i < depth; i++) {
    whole.writeUInt32BE(8 * (depth - i), 8 * i);
    whole.write('udta', 8 * i + 4, 'latin1');
  }
  return whole;
}

function tracks(count: number, samples: number): Buffer {
  const changed = m4a('stsz', 0, 1, samples);
  const at = changed.indexOf('trak') - 4;
  return inMoov(Buffer.concat(pages(count, () => changed.subarray(at, at + changed.readUInt32BE(at)))));
}

const UNKNOWN = Buffer.from('01ffffffffffffff', 'hex');
const WEBMS: readonly HostileRecording[] = [
  {
    name: 'a WebM with segments nested 100 000 deep',
    make: () => Buffer.concat([webmHead(), ...pages(100_000, segment)]),
    ends: CORRUPT,
  },
  {
    name: 'a WebM with a void element of 2^56 bytes',
    make: () => Buffer.concat([webmHead(), segment(), Buffer.from('ec01fffffffffffffe', 'hex')]),
    ends: CORRUPT,
  },
  {
    name: 'a WebM with 100 000 empty elements',
    make: () => inSegment(Buffer.alloc(200_000, Buffer.from('ec80', 'hex'))),
    ends: { ffmpeg: DONE, wasm: CORRUPT },
  },
  { name: 'a WebM of infinite length', make: () => webmWithDuration('7ff0000000000000'), ends: TOO_LONG },
  { name: 'a WebM whose length is NaN', make: () => webmWithDuration('7ff8000000000000'), ends: DONE },
  { name: 'a WebM of 15 000 tracks', make: () => manyTracks(15_000), ends: CORRUPT },
];

const webmHead = () => voiceBytes('webm').subarray(0, voiceBytes('webm').indexOf(SEGMENT));
const SEGMENT = Buffer.from('18538067', 'hex');
const segment = () => Buffer.concat([SEGMENT, UNKNOWN]);
/** The voice with data inserted at the start of its segment, whose length becomes unknown. */
function inSegment(more: Buffer): Buffer {
  const voice = voiceBytes('webm');
  return Buffer.concat([webmHead(), segment(), more, voice.subarray(voice.indexOf(SEGMENT) + 12)]);
}
const webmWithDuration = (double: string) => {
  const voice = voiceBytes('webm');
  Buffer.from(double, 'hex').copy(voice, voice.indexOf(Buffer.from('448988', 'hex')) + 3);
  return voice;
};
function manyTracks(count: number): Buffer {
  const voice = voiceBytes('webm');
  const at = voice.indexOf(Buffer.from('1654ae6b', 'hex'));
  const entry = voice.subarray(at + 5, at + 5 + (voice[at + 4]! & 0x7f));
  const size = uint32s(count * entry.length);
  size[0] = size[0]! | 0x10;
  const whole = inSegment(Buffer.alloc(0));
  const there = whole.indexOf(Buffer.from('1654ae6b', 'hex'));
  return Buffer.concat([
    whole.subarray(0, there + 4),
    size,
    ...pages(count, () => entry),
    whole.subarray(there + 5 + entry.length),
  ]);
}

const LIST =
  '#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile:///etc/passwd\n#EXTINF:9,\nhttp://169.254.169.254/latest\n';
/** Playlists that ffmpeg would follow, and unsupported formats. */
const FOREIGN_FORMATS: readonly HostileRecording[] = [
  { name: 'an M3U playlist', make: () => Buffer.from(LIST), ends: REJECTED },
  {
    name: 'an M3U playlist after an ID3 tag',
    make: () => Buffer.concat([id3(20_000, Buffer.alloc(20_000)), Buffer.from(LIST)]),
    ends: UNSUPPORTED,
  },
  {
    name: 'an ffconcat list',
    make: () => Buffer.from("ffconcat version 1.0\nfile '/etc/passwd'\n"),
    ends: REJECTED,
  },
  {
    name: 'an SDP session description',
    make: () => Buffer.from('v=0\no=- 0 0 IN IP4 127.0.0.1\nm=audio 5004 RTP/AVP 0\n'),
    ends: REJECTED,
  },
  {
    name: 'a DASH manifest',
    make: () => Buffer.from('<?xml version="1.0"?><MPD><BaseURL>file:///etc/</BaseURL></MPD>'),
    ends: REJECTED,
  },
  {
    name: 'an AIFF of four billion frames',
    make: () => Buffer.from('FORM\xff\xff\xff\xffAIFFCOMM\0\0\0\x12\0\x01\xff\xff\xff\xff', 'latin1'),
    ends: REJECTED,
  },
  {
    name: 'a CAF with an endless packet',
    make: () => Buffer.from('caff\0\x01\0\0data\xff\xff\xff\xff\xff\xff\xff\xff', 'latin1'),
    ends: REJECTED,
  },
  { name: '64 MiB of zeros, gzipped', make: () => gzipSync(Buffer.alloc(64 * MIB)), ends: REJECTED },
];

export const RECORDINGS = [...WAVS, ...FLACS, ...OGGS, ...FRAMES, ...MP4S, ...WEBMS, ...FOREIGN_FORMATS];
