export type AudioType = 'wav' | 'mp3' | 'm4a' | 'mp4' | 'aac' | 'ogg' | 'opus' | 'flac' | 'webm' | 'amr';

/** How each kind is called in `Content-Type`. */
export const AUDIO_MEDIA_TYPES: Readonly<Record<AudioType, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  mp4: 'video/mp4',
  aac: 'audio/aac',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  flac: 'audio/flac',
  webm: 'video/webm',
  amr: 'audio/amr',
};

/** How much of a file's beginning {@link sniffAudio} wants to see; it makes do with less. */
export const SNIFFED_BYTES = 16_384;

/**
 * What kind of recording the first bytes of a file are, whatever it was declared to be; undefined for anything else.
 * `mp4` (MP4, QuickTime, 3GP), `webm` (Matroska too) and `ogg` may hold pictures, and need not hold any sound.
 */
export function sniffAudio(head: Buffer): AudioType | undefined {
  const text = (from: number, to: number) => head.toString('latin1', from, to);
  if (/^(RIFF|RF64)$/.test(text(0, 4)) && text(8, 12) === 'WAVE') return 'wav';
  if (text(0, 4) === 'fLaC') return 'flac';
  if (text(0, 4) === 'OggS') return text(28, 36) === 'OpusHead' ? 'opus' : 'ogg';
  if (text(4, 8) === 'ftyp') return isoKind(text(8, 12));
  // QuickTime from before brands were invented.
  if (/^(moov|mdat|wide)$/.test(text(4, 8))) return 'mp4';
  if (text(0, 4) === '\x1a\x45\xdf\xa3') return /webm|matroska/.test(text(4, 64)) ? 'webm' : undefined;
  if (/^#!AMR(-WB)?\n/.test(text(0, 9))) return 'amr';
  const tag = id3Length(head);
  if (tag === 0) return framesKind(head);
  // Of a tag as long as what is seen (with a cover picture, say) nothing follows here: MP3s have them, others rarely.
  return sniffAudio(head.subarray(tag)) ?? (tag + FRAMES_SEEN > head.length ? 'mp3' : undefined);
}

/** The bytes that ID3v2 tags take before the sound begins: 0 where there is none. */
export function id3Length(head: Buffer): number {
  if (head.length < 10 || head.toString('latin1', 0, 3) !== 'ID3') return 0;
  // Seven bits a byte (ID3v2.4 §6.2), so that no tag looks like sound.
  const size = [6, 7, 8, 9].reduce((sum, at) => (sum << 7) | (head[at]! & 0x7f), 0);
  const footer = head[5]! & 0x10 ? 10 : 0;
  return 10 + size + footer;
}

/** One frame of MPEG audio, layer II or III (`mp3`), or of AAC in ADTS (`aac`), as its header describes it. */
export interface Frame {
  readonly kind: 'mp3' | 'aac';
  /** The header included. */
  readonly bytes: number;
  readonly sampleRate: number;
  readonly samples: number;
  readonly channels: number;
  /** Where an MP3's side information ends: there its encoder may have left the number of frames. */
  readonly xingAt: number;
}

/** The frame whose header lies at `at`; undefined where none does (ISO/IEC 11172-3 §2.4.1.3, 14496-3 §1.A.2.2). */
export function frameAt(bytes: Buffer, at: number): Frame | undefined {
  if (at + 7 > bytes.length || bytes[at] !== 0xff) return undefined;
  const [b1, b2, b3, b4, b5] = [1, 2, 3, 4, 5].map((i) => bytes[at + i]!) as [number, number, number, number, number];
  if ((b1 & 0xf6) === 0xf0) {
    const sampleRate = ADTS_RATES[(b2 >> 2) & 15];
    const length = ((b3 & 3) << 11) | (b4 << 3) | (b5 >> 5);
    if (sampleRate === undefined || length < 8) return undefined;
    const channels = ((b2 & 1) << 2) | (b3 >> 6) || 2;
    return { kind: 'aac', bytes: length, sampleRate, samples: 1024, channels, xingAt: 0 };
  }
  if ((b1 & 0xe0) !== 0xe0) return undefined;
  const [version, layer] = [(b1 >> 3) & 3, (b1 >> 1) & 3];
  const [rateIndex, bitIndex] = [(b2 >> 2) & 3, b2 >> 4];
  const second = layer === 2;
  if (version === 1 || (layer !== 1 && !second) || rateIndex === 3 || bitIndex === 0 || bitIndex === 15)
    return undefined;
  const first = version === 3;
  const sampleRate = [44_100, 48_000, 32_000][rateIndex]! / (first ? 1 : version === 2 ? 2 : 4);
  const bitRate = 1000 * (first ? (second ? MPEG1_LAYER2 : MPEG1_LAYER3) : MPEG2)[bitIndex]!;
  const samples = first || second ? 1152 : 576;
  const mono = b3 >> 6 === 3;
  return {
    kind: 'mp3',
    bytes: Math.floor(((samples / 8) * bitRate) / sampleRate) + ((b2 >> 1) & 1),
    sampleRate,
    samples,
    channels: mono ? 1 : 2,
    xingAt: 4 + (first ? (mono ? 17 : 32) : mono ? 9 : 17),
  };
}

/**
 * Where the first frame begins that two more of its kind follow, at most 4 KiB in (streams are cut anywhere, and some
 * programs leave zeros before the sound). A file of one or two frames must begin with the first and end with the last.
 */
export function firstFrame(head: Buffer): { at: number; frame: Frame } | undefined {
  for (let at = 0; at < Math.min(FRAMES_SEEN, head.length); at++) {
    const frame = frameAt(head, at);
    if (frame && followed(head, at, frame)) return { at, frame };
  }
  return undefined;
}

const FRAMES_SEEN = 4096;

function followed(head: Buffer, start: number, first: Frame): boolean {
  let at = start + first.bytes;
  for (let more = 0; more < 2; more++) {
    if (at === head.length) return start === 0;
    const next = frameAt(head, at);
    if (next?.kind !== first.kind || next.sampleRate !== first.sampleRate) return false;
    at += next.bytes;
  }
  return true;
}

function framesKind(head: Buffer): AudioType | undefined {
  return firstFrame(head)?.frame.kind;
}

/** The brand of an ISO base media file: pictures (HEIF, AVIF) use the same container. */
function isoKind(brand: string): AudioType | undefined {
  if (/^(M4A |M4B |M4P |F4A |F4B )$/.test(brand)) return 'm4a';
  return /^(mif1|msf1|miaf|avif|avis|hei[cxms]|hev[cxms]|jp[2xm] |crx )$/.test(brand) ? undefined : 'mp4';
}

const ADTS_RATES = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350];
// Thousands of bits a second, by the index in the header.
const MPEG1_LAYER2 = [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384];
const MPEG1_LAYER3 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MPEG2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
