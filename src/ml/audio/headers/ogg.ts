import { AudioError } from '../audio-error.ts';
import type { Duration, Header } from '../header.ts';
import type { FileReader } from './file-reader.ts';

/** Ogg (RFC 3533) with Vorbis, Opus (RFC 7845), FLAC or Speex. Other streams are ignored. */
export async function readOgg(bytes: FileReader): Promise<Header> {
  const headPages = pagesIn(await bytes.read(0, HEAD_BYTES)).pages;
  const streams = headPages.filter(({ first }) => first);
  const selected = streams
    .map((page) => ({ page, stream: readIdentification(page.body) }))
    .find(({ stream }) => stream);
  if (!selected?.stream) {
    throw streams.some(({ body }) => body.length > 0)
      ? new AudioError('no_sound', 'The Ogg file has no audio in a supported codec.')
      : new AudioError('corrupt', 'The Ogg file has no header.');
  }
  const { serial } = selected.page;
  const { sampleRate, channels, codec, clock, preSkip } = selected.stream;

  const from = Math.max(0, bytes.size - TAIL_BYTES);
  const tail = pagesIn(await bytes.read(from, TAIL_BYTES));
  const last = tail.pages.filter((page) => page.serial === serial && page.position >= 0).at(-1);
  if (tail.isTruncated && !last?.last) throw new AudioError('corrupt', 'The Ogg file ends in the middle of a page.');
  const duration =
    last &&
    durationOf(
      headPages.filter((page) => page.serial === serial),
      last,
    );
  return { sampleRate, channels, codec, ...(duration && { duration }) };

  function durationOf(pages: readonly Page[], last: Page): Duration | undefined {
    // A recording of a live broadcast starts at a position other than zero.
    const earliest = pages.find(({ position }) => position > 0)?.position ?? 0;
    const isLive = earliest > clock * LONGEST_PAGE_SECONDS;
    const seconds = (last.position - (isLive ? earliest : preSkip)) / clock;
    return seconds > 0 ? { seconds, isExact: !isLive } : undefined;
  }
}

interface Page {
  readonly serial: number;
  readonly first: boolean;
  readonly last: boolean;
  /** End time in ticks of the codec's clock; -1 when no packet ends in this page. */
  readonly position: number;
  readonly body: Buffer;
}

function pagesIn(bytes: Buffer): { pages: Page[]; isTruncated: boolean } {
  const pages: Page[] = [];
  let at = bytes.indexOf('OggS');
  for (; at >= 0 && at + 27 <= bytes.length; at = bytes.indexOf('OggS', at)) {
    const segments = bytes[at + 26]!;
    const body = at + 27 + segments;
    const size = bytes.subarray(at + 27, body).reduce((sum, length) => sum + length, 0);
    if (body + size > bytes.length) return { pages, isTruncated: true };
    const flags = bytes[at + 5]!;
    pages.push({
      serial: bytes.readUInt32LE(at + 14),
      first: (flags & 2) !== 0,
      last: (flags & 4) !== 0,
      position: Number(bytes.readBigInt64LE(at + 6)),
      body: bytes.subarray(body, body + size),
    });
    at = body + size;
  }
  return { pages, isTruncated: at >= 0 };
}

interface AudioStream {
  readonly sampleRate: number;
  readonly channels: number;
  readonly codec: NonNullable<Header['codec']>;
  /** Ticks per second of the page positions. */
  readonly clock: number;
  readonly preSkip: number;
}

function readIdentification(body: Buffer): AudioStream | undefined {
  const text = (from: number, to: number) => body.toString('latin1', from, to);
  if (text(0, 8) === 'OpusHead' && body.length >= 19) {
    return { codec: 'opus', sampleRate: 48_000, channels: body[9]!, clock: 48_000, preSkip: body.readUInt16LE(10) };
  }
  const plain = (codec: AudioStream['codec'], sampleRate: number, channels: number) => {
    return { codec, sampleRate, channels, clock: sampleRate, preSkip: 0 };
  };
  if (text(0, 7) === '\x01vorbis' && body.length >= 30) return plain('vorbis', body.readUInt32LE(12), body[11]!);
  if (text(0, 5) === '\x7fFLAC' && body.length >= 51) {
    const fields = body.readBigUInt64BE(27);
    return plain('flac', Number(fields >> 44n), Number((fields >> 41n) & 7n) + 1);
  }
  if (text(0, 8) === 'Speex   ' && body.length >= 52) {
    return plain('speex', body.readUInt32LE(36), body.readUInt32LE(48));
  }
  return undefined;
}

// A page has at most 65 307 bytes, so this tail holds a complete one.
const HEAD_BYTES = 2 ** 17;
const TAIL_BYTES = 2 ** 17;
const LONGEST_PAGE_SECONDS = 60;
