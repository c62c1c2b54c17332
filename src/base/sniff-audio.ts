export type AudioType = 'wav' | 'mp3' | 'm4a' | 'mp4' | 'aac' | 'ogg' | 'opus' | 'flac' | 'webm' | 'amr';

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

/** Number of leading bytes that {@link sniffAudio} uses; fewer also work. */
export const SNIFFED_BYTES = 16_384;

/**
 * Detects the type of a recording by its first bytes. `mp4` (also QuickTime, 3GP), `webm` (also Matroska) and `ogg` may
 * contain video and need not contain audio.
 */
export function sniffAudio(head: Buffer): AudioType | undefined {
  const text = (from: number, to: number) => head.toString('latin1', from, to);
  if (/^(RIFF|RF64)$/.test(text(0, 4)) && text(8, 12) === 'WAVE') return 'wav';
  if (text(0, 4) === 'fLaC') return 'flac';
  if (text(0, 4) === 'OggS') return text(28, 36) === 'OpusHead' ? 'opus' : 'ogg';
  if (text(4, 8) === 'ftyp') return isoKind(text(8, 12));
  // QuickTime without `ftyp`.
  if (/^(moov|mdat|wide)$/.test(text(4, 8))) return 'mp4';
  if (text(0, 4) === '\x1a\x45\xdf\xa3') return /webm|matroska/.test(text(4, 64)) ? 'webm' : undefined;
  if (/^#!AMR(-WB)?\n/.test(text(0, 9))) return 'amr';
  const tag = id3Length(head);
  if (tag === 0) return framesKind(head);
  // A long tag, for example with a cover picture, may fill the whole head: almost always an MP3.
  return sniffAudio(head.subarray(tag)) ?? (tag + FRAMES_SEEN > head.length ? 'mp3' : undefined);
}

/** Length of the leading ID3v2 tag in bytes; 0 without a tag. */
export function id3Length(head: Buffer): number {
  if (head.length < 10 || head.toString('latin1', 0, 3) !== 'ID3') return 0;
  // Seven bits per byte (ID3v2.4 §6.2).
  const size = [6, 7, 8, 9].reduce((sum, at) => (sum << 7) | (head[at]! & 0x7f), 0);
  const footer = head[5]! & 0x10 ? 10 : 0;
  return 10 + size + footer;
}

/** Header of a frame of MPEG audio, layer II or III (`mp3`), or of AAC in ADTS (`aac`). */
export interface Frame {
  readonly kind: 'mp3' | 'aac';
  /** Including the header. */
  readonly bytes: number;
  readonly sampleRate: number;
  readonly samples: number;
  readonly channels: number;
  /** Offset of a possible Xing header, which contains the number of frames. */
  readonly xingAt: number;
}

/** The frame at offset `at`, if there is one (ISO/IEC 11172-3 §2.4.1.3, 14496-3 §1.A.2.2). */
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
 * The first frame within 4 KiB that two frames of its kind follow: streams may start in the middle of a frame, and some
 * encoders write zeros first. A file of one or two frames must consist of exactly these.
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

/** Excludes the brands of images (HEIF, AVIF), which use the same container. */
function isoKind(brand: string): AudioType | undefined {
  if (/^(M4A |M4B |M4P |F4A |F4B )$/.test(brand)) return 'm4a';
  return /^(mif1|msf1|miaf|avif|avis|hei[cxms]|hev[cxms]|jp[2xm] |crx )$/.test(brand) ? undefined : 'mp4';
}

const ADTS_RATES = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350];
// kbit/s by the index in the header.
const MPEG1_LAYER2 = [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384];
const MPEG1_LAYER3 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MPEG2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
