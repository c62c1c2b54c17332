import { deflateSync, gzipSync } from 'node:zlib';
import { voiceBytes, wav } from '../../src/ml/audio/testing/recordings.ts';
import type { Bomb } from './bombs.ts';

/** A recording that was made to harm, and what comes of it where ffmpeg reads it, and where WebAssembly does. */
export interface HostileRecording extends Omit<Bomb, 'ends'> {
  readonly ends: string | { readonly ffmpeg: string; readonly wasm: string };
}

const [DONE, CORRUPT, TOO_LONG, UNSUPPORTED] = [
  'done',
  'AUDIO_CORRUPT',
  'AUDIO_TOO_LONG',
  'AUDIO_UNSUPPORTED',
] as const;
/** What `POST /files` says of what is no recording at all. */
const NONE = 'refused with 415';
const MIB = 2 ** 20;

const second = new Float32Array(16_000);

const WAVS: readonly HostileRecording[] = [
  { name: 'a WAV of 4 GiB, it says', make: () => wav(second, { claims: { size: 0xffffffff } }), ends: DONE },
  { name: 'a WAV of 65 535 channels', make: () => wav(second, { claims: { channels: 65_535 } }), ends: CORRUPT },
  { name: 'a WAV of one sample a second', make: () => wav(second, { claims: { rate: 1 } }), ends: CORRUPT },
  { name: 'a WAV of 4 GHz', make: () => wav(second, { claims: { rate: 0xffffffff } }), ends: CORRUPT },
  { name: 'a WAV whose samples take no bytes', make: () => wav(second, { claims: { block: 0 } }), ends: CORRUPT },
  { name: 'a WAV of a codec that nobody has', make: () => wav(second, { claims: { tag: 0x7777 } }), ends: UNSUPPORTED },
  { name: 'a WAV of 100 000 chunks', make: () => chunks(100_000), ends: CORRUPT },
  { name: 'a WAV of five hours', make: () => wav(new Uint8Array(18_000_000), { rate: 1000, bits: 8 }), ends: TOO_LONG },
];

function chunks(many: number): Buffer {
  const whole = wav(second);
  const empty = Buffer.from('junk\0\0\0\0', 'latin1');
  return Buffer.concat([whole.subarray(0, 12), ...Array<Buffer>(many).fill(empty), whole.subarray(12)]);
}

const FLACS: readonly HostileRecording[] = [
  { name: 'a FLAC of a minute in a few hundred bytes', make: () => quietFlac(60), ends: DONE },
  { name: 'a FLAC of a second, it says, and of a minute', make: () => quietFlac(60, { says: 8000 }), ends: DONE },
  { name: 'a FLAC of ten minutes in a kilobyte', make: () => quietFlac(600), ends: DONE, heavy: true },
  { name: 'a FLAC of ten years, it says', make: () => quietFlac(1, { says: 2 ** 36 - 1 }), ends: TOO_LONG },
  { name: 'a FLAC of five hours in 20 KB', make: () => quietFlac(5 * 3600), ends: TOO_LONG, heavy: true },
  { name: 'a FLAC of 100 000 blocks before its sound', make: () => quietFlac(8, { blocks: 100_000 }), ends: DONE },
  {
    name: 'a FLAC of a picture that is not there',
    make: () => Buffer.concat([quietFlac(8).subarray(0, 4 + 38), Buffer.from([6, 0xff, 0xff, 0xff]), quietFlac(8)]),
    ends: DONE,
  },
];

/**
 * Silence in FLAC (RFC 9639): a frame of 16 bytes stands for 65 535 samples at 8 kHz. Its header says how many there are,
 * or, by nought, that nobody knows; before the sound there may be empty blocks.
 */
function quietFlac(seconds: number, { says = 0, blocks = 0 } = {}): Buffer {
  const info = Buffer.alloc(34);
  info.writeUInt32BE(0xffff_ffff, 0);
  info.writeBigUInt64BE((8000n << 44n) | (15n << 36n) | BigInt(says), 10);
  const frames = Array.from({ length: Math.ceil((seconds * 8000) / 65_535) }, (_, number) => {
    const head = Buffer.concat([Buffer.from([0xff, 0xf8, 0x74, 0x08]), asUtf8(number), Buffer.from([0xff, 0xfe])]);
    const checked = Buffer.concat([head, Buffer.from([crc(head, 8, 0x07), 0, 0, 0])]);
    const end = Buffer.alloc(2);
    end.writeUInt16BE(crc(checked, 16, 0x8005));
    return Buffer.concat([checked, end]);
  });
  const padding = Array.from({ length: blocks }, (_, i) => Buffer.from([i + 1 < blocks ? 1 : 0x81, 0, 0, 0]));
  const first = Buffer.from([blocks > 0 ? 0 : 0x80, 0, 0, 34]);
  return Buffer.concat([Buffer.from('fLaC'), first, info, ...padding, ...frames]);
}

/** The number as UTF-8 would write it, of a character below 0x10000. */
const asUtf8 = (number: number) => Buffer.from(String.fromCharCode(number), 'utf8');

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
    name: 'an Opus of a million years, it says',
    make: () =>
      Buffer.concat([voiceBytes('opus'), page({ serial: serialOf('opus'), position: 2n ** 62n, last: true })]),
    ends: TOO_LONG,
  },
  { name: '3000 Oggs, one behind the other', make: () => chained(3000), ends: DONE },
  {
    name: 'an Ogg of 30 000 pages without a byte',
    make: () => Buffer.concat([voiceBytes('ogg'), ...pages(30_000, () => page({ serial: serialOf('ogg') }))]),
    ends: DONE,
  },
  {
    name: 'an Ogg of a packet without end',
    make: () =>
      Buffer.concat([
        voiceBytes('opus'),
        ...pages(100, (n) => page({ serial: serialOf('opus'), n, body: Buffer.alloc(255 * 255) })),
      ]),
    ends: DONE,
  },
  {
    name: 'an Ogg of 20 000 streams at once',
    make: () =>
      Buffer.concat([
        ...pages(20_000, (serial) => page({ serial: serial + 7, first: true, body: opusHead() })),
        voiceBytes('opus'),
      ]),
    ends: CORRUPT,
  },
];

const serialOf = (voice: 'opus' | 'ogg') => voiceBytes(voice).readUInt32LE(14);
const pages = (many: number, make: (n: number) => Buffer) => Array.from({ length: many }, (_, n) => make(n));
const opusHead = () => voiceBytes('opus').subarray(28, 28 + 19);

/** A page of Ogg (RFC 3533); a body of whole times 255 bytes goes on in the next one. */
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

/** The heads of so many streams that have no sound, and a voice behind them. */
function chained(many: number): Buffer {
  const tags = Buffer.concat([Buffer.from('OpusTags'), Buffer.alloc(8)]);
  const link = (serial: number) => [
    page({ serial, n: 0, position: 0n, first: true, body: opusHead() }),
    page({ serial, n: 1, position: 0n, last: true, body: tags }),
  ];
  return Buffer.concat([...pages(many, (n) => Buffer.concat(link(n + 7))), voiceBytes('opus')]);
}

/** The bytes with one of them changed, so far behind the first place of a name. */
function edited(bytes: Buffer, name: string, behind: number, ...values: number[]): Buffer {
  const copy = Buffer.from(bytes);
  Buffer.from(values).copy(copy, copy.indexOf(name) + behind);
  return copy;
}

const FRAMES: readonly HostileRecording[] = [
  { name: 'an MP3 of tags alone', make: () => id3().subarray(0, 10), ends: CORRUPT },
  {
    name: 'an MP3 behind 5000 tags',
    make: () => Buffer.concat([...pages(5000, () => id3()), voiceBytes('mp3')]),
    ends: CORRUPT,
  },
  {
    name: 'an MP3 behind a tag of 256 MiB, it says',
    make: () => Buffer.concat([id3(2 ** 28 - 1), voiceBytes('mp3')]),
    ends: CORRUPT,
  },
  {
    name: 'an MP3 behind a tag that unfolds to 255 MiB',
    make: () => Buffer.concat([unfolding(255 * MIB), voiceBytes('mp3')]),
    ends: DONE,
  },
  { name: 'an MP3 of 4 000 000 000 frames, it says', make: () => counted(0xffff_ffff), ends: TOO_LONG },
  { name: 'an MP3 of an hour, it says', make: () => counted(150_000), ends: CORRUPT },
  {
    name: 'an AAC of a million frames of no length',
    make: () => Buffer.concat([voiceBytes('aac'), adts(100_000)]),
    ends: DONE,
  },
];

/** An ID3v2.3 tag that says that it has so many bytes, and these (§3.1 of its standard). */
function id3(says = 0, frames: Buffer = Buffer.alloc(0)): Buffer {
  const size = [21, 14, 7, 0].map((shift) => (says >> shift) & 0x7f);
  return Buffer.concat([Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, ...size]), frames]);
}

/** A tag with one text in it, deflated, of nothing but zeros. */
function unfolding(bytes: number): Buffer {
  const body = Buffer.concat([words(bytes), deflateSync(Buffer.alloc(bytes), { level: 1 })]);
  const frame = Buffer.concat([Buffer.from('TXXX'), words(body.length), Buffer.from([0, 0x80]), body]);
  return id3(frame.length, frame);
}

function words(...all: number[]): Buffer {
  const bytes = Buffer.alloc(4 * all.length);
  for (const [i, word] of all.entries()) bytes.writeUInt32BE(word, 4 * i);
  return bytes;
}

/** An MP3 whose first frame counts so many. */
const counted = (frames: number) => edited(voiceBytes('mp3'), 'Info', 8, ...words(frames));
const adts = (many: number) => Buffer.alloc(7 * many, Buffer.from([0xff, 0xf1, 0x60, 0x40, 0, 0x1f, 0xfc]));
const MP4S: readonly HostileRecording[] = [
  { name: 'an M4A of four billion samples of one size', make: () => m4a('stsz', 0, 1, 0xffffffff), ends: CORRUPT },
  { name: 'an M4A of four billion sizes', make: () => m4a('stsz', 0, 0, 0xffffffff), ends: CORRUPT },
  { name: 'an M4A of four billion places', make: () => m4a('stco', 0, 0xffffffff), ends: CORRUPT },
  { name: 'an M4A of four billion times', make: () => m4a('stts', 0, 0xffffffff), ends: CORRUPT },
  {
    name: 'an M4A of four billion kinds of sound',
    make: () => m4a('stsd', 0, 0xffffffff),
    ends: { ffmpeg: CORRUPT, wasm: DONE },
  },
  { name: 'an M4A of 100 tracks of 11 million samples', make: () => tracks(100, 11_000_000), ends: CORRUPT },
  {
    name: 'an M4A with a fragment of four billion samples',
    make: () => Buffer.concat([voiceBytes('m4a'), box('moof', box('traf', box('trun', words(0, 0xffffffff))))]),
    ends: CORRUPT,
  },
  { name: 'an M4A of boxes in boxes, 100 000 deep', make: () => inMoov(nested(100_000)), ends: CORRUPT },
  {
    name: 'an M4A of 100 000 empty boxes',
    make: () => inMoov(Buffer.concat(pages(100_000, () => box('free')))),
    ends: DONE,
  },
  { name: 'an M4A of an index of 512 MiB, it says', make: () => m4aHead('moov', 2 ** 29), ends: CORRUPT },
];

const m4a = (name: string, ...all: number[]) => edited(voiceBytes('m4a'), name, 4, ...words(...all));
const m4aHead = (name: string, size: number) => edited(voiceBytes('m4a'), name, -4, ...words(size));

function box(type: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([words(8 + body.length), Buffer.from(type, 'latin1'), body]);
}

/** The voice with something behind the last box of its index, which is the file's last. */
function inMoov(more: Buffer): Buffer {
  const whole = Buffer.concat([voiceBytes('m4a'), more]);
  const at = whole.indexOf('moov') - 4;
  whole.writeUInt32BE(whole.length - at, at);
  return whole;
}

function nested(deep: number): Buffer {
  const whole = Buffer.alloc(8 * deep);
  for (let i = 0; i < deep; i++) {
    whole.writeUInt32BE(8 * (deep - i), 8 * i);
    whole.write('udta', 8 * i + 4, 'latin1');
  }
  return whole;
}

/** The voice's track so many times more, each with so many samples of one size. */
function tracks(many: number, samples: number): Buffer {
  const changed = m4a('stsz', 0, 1, samples);
  const at = changed.indexOf('trak') - 4;
  return inMoov(Buffer.concat(pages(many, () => changed.subarray(at, at + changed.readUInt32BE(at)))));
}

const UNKNOWN = Buffer.from('01ffffffffffffff', 'hex');
const WEBMS: readonly HostileRecording[] = [
  {
    name: 'a WebM of 100 000 segments in segments',
    make: () => Buffer.concat([webmHead(), ...pages(100_000, segment)]),
    ends: CORRUPT,
  },
  {
    name: 'a WebM with a hole of 2^56 bytes',
    make: () => Buffer.concat([webmHead(), segment(), Buffer.from('ec01fffffffffffffe', 'hex')]),
    ends: CORRUPT,
  },
  {
    name: 'a WebM of 100 000 empty elements',
    make: () => inSegment(Buffer.alloc(200_000, Buffer.from('ec80', 'hex'))),
    ends: { ffmpeg: DONE, wasm: CORRUPT },
  },
  { name: 'a WebM of no end', make: () => lasting('7ff0000000000000'), ends: TOO_LONG },
  { name: 'a WebM whose length is no number', make: () => lasting('7ff8000000000000'), ends: DONE },
  { name: 'a WebM of 15 000 tracks', make: () => manyTracks(15_000), ends: CORRUPT },
];

const webmHead = () => voiceBytes('webm').subarray(0, voiceBytes('webm').indexOf(SEGMENT));
const SEGMENT = Buffer.from('18538067', 'hex');
const segment = () => Buffer.concat([SEGMENT, UNKNOWN]);
/** The voice with something before what its segment has, which then says no length of its own. */
function inSegment(more: Buffer): Buffer {
  const voice = voiceBytes('webm');
  return Buffer.concat([webmHead(), segment(), more, voice.subarray(voice.indexOf(SEGMENT) + 12)]);
}
const lasting = (double: string) => {
  const voice = voiceBytes('webm');
  Buffer.from(double, 'hex').copy(voice, voice.indexOf(Buffer.from('448988', 'hex')) + 3);
  return voice;
};
function manyTracks(many: number): Buffer {
  const voice = voiceBytes('webm');
  const at = voice.indexOf(Buffer.from('1654ae6b', 'hex'));
  const entry = voice.subarray(at + 5, at + 5 + (voice[at + 4]! & 0x7f));
  const size = words(many * entry.length);
  size[0] = size[0]! | 0x10;
  const whole = inSegment(Buffer.alloc(0));
  const there = whole.indexOf(Buffer.from('1654ae6b', 'hex'));
  return Buffer.concat([
    whole.subarray(0, there + 4),
    size,
    ...pages(many, () => entry),
    whole.subarray(there + 5 + entry.length),
  ]);
}

const LIST =
  '#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile:///etc/passwd\n#EXTINF:9,\nhttp://169.254.169.254/latest\n';
/** What ffmpeg, left to itself, would take for a list of other files, and what nobody records with. */
const STRANGERS: readonly HostileRecording[] = [
  { name: 'a playlist', make: () => Buffer.from(LIST), ends: NONE },
  {
    name: 'a playlist behind a tag',
    make: () => Buffer.concat([id3(20_000, Buffer.alloc(20_000)), Buffer.from(LIST)]),
    ends: UNSUPPORTED,
  },
  {
    name: 'a list of files to join',
    make: () => Buffer.from("ffconcat version 1.0\nfile '/etc/passwd'\n"),
    ends: NONE,
  },
  {
    name: 'a session description',
    make: () => Buffer.from('v=0\no=- 0 0 IN IP4 127.0.0.1\nm=audio 5004 RTP/AVP 0\n'),
    ends: NONE,
  },
  {
    name: 'an XML of segments',
    make: () => Buffer.from('<?xml version="1.0"?><MPD><BaseURL>file:///etc/</BaseURL></MPD>'),
    ends: NONE,
  },
  {
    name: 'an AIFF of four billion frames',
    make: () => Buffer.from('FORM\xff\xff\xff\xffAIFFCOMM\0\0\0\x12\0\x01\xff\xff\xff\xff', 'latin1'),
    ends: NONE,
  },
  {
    name: 'a CAF of a packet without end',
    make: () => Buffer.from('caff\0\x01\0\0data\xff\xff\xff\xff\xff\xff\xff\xff', 'latin1'),
    ends: NONE,
  },
  { name: 'gigabytes of zeros, packed', make: () => gzipSync(Buffer.alloc(64 * MIB)), ends: NONE },
];

export const RECORDINGS = [...WAVS, ...FLACS, ...OGGS, ...FRAMES, ...MP4S, ...WEBMS, ...STRANGERS];
