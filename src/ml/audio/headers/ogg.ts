import type { Duration, Header } from '../header.ts';
import { AudioRefused } from '../refused.ts';
import type { Bytes } from './bytes.ts';

/** Ogg (RFC 3533) with Vorbis, Opus (RFC 7845), FLAC or Speex in it; other streams beside it are passed over. */
export async function readOgg(bytes: Bytes): Promise<Header> {
  const begin = pagesIn(await bytes.read(0, HEAD_BYTES)).pages;
  const streams = begin.filter(({ first }) => first);
  const sound = streams.map((page) => ({ page, stream: soundIn(page.body) })).find(({ stream }) => stream);
  if (!sound?.stream) {
    throw streams.some(({ body }) => body.length > 0)
      ? new AudioRefused('no_sound', 'The Ogg file has no sound that is read here.')
      : new AudioRefused('corrupt', 'The Ogg file has no header.');
  }
  const { serial } = sound.page;
  const { sampleRate, channels, codec, clock, lead } = sound.stream;

  const from = Math.max(0, bytes.size - TAIL_BYTES);
  const end = pagesIn(await bytes.read(from, TAIL_BYTES));
  const last = end.pages.filter((page) => page.serial === serial && page.position >= 0).at(-1);
  if (end.broken && !last?.last) throw new AudioRefused('corrupt', 'The Ogg file breaks off in the middle of a page.');
  const duration =
    last &&
    lengthOf(
      begin.filter((page) => page.serial === serial),
      last,
    );
  return { sampleRate, channels, codec, ...(duration && { duration }) };

  function lengthOf(pages: readonly Page[], last: Page): Duration | undefined {
    // What was recorded from a running broadcast begins at whatever time that had come to.
    const earliest = pages.find(({ position }) => position > 0)?.position ?? 0;
    const running = earliest > clock * LONGEST_PAGE_SECONDS;
    const seconds = (last.position - (running ? earliest : lead)) / clock;
    return seconds > 0 ? { seconds, counted: !running } : undefined;
  }
}

interface Page {
  readonly serial: number;
  readonly first: boolean;
  readonly last: boolean;
  /** The time at its end, in ticks of the codec's clock; -1 where it ends within a packet. */
  readonly position: number;
  readonly body: Buffer;
}

/** The whole pages from the first one on, whatever lies between them, and whether the last one breaks off. */
function pagesIn(bytes: Buffer): { pages: Page[]; broken: boolean } {
  const pages: Page[] = [];
  let at = bytes.indexOf('OggS');
  for (; at >= 0 && at + 27 <= bytes.length; at = bytes.indexOf('OggS', at)) {
    const segments = bytes[at + 26]!;
    const body = at + 27 + segments;
    const size = bytes.subarray(at + 27, body).reduce((sum, length) => sum + length, 0);
    if (body + size > bytes.length) return { pages, broken: true };
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
  return { pages, broken: at >= 0 };
}

interface Sound {
  readonly sampleRate: number;
  readonly channels: number;
  readonly codec: NonNullable<Header['codec']>;
  /** Ticks a second of the positions. */
  readonly clock: number;
  /** Ticks before the sound begins. */
  readonly lead: number;
}

/** What a stream's first page says, if it is one of sound. */
function soundIn(body: Buffer): Sound | undefined {
  const text = (from: number, to: number) => body.toString('latin1', from, to);
  if (text(0, 8) === 'OpusHead' && body.length >= 19) {
    return { codec: 'opus', sampleRate: 48_000, channels: body[9]!, clock: 48_000, lead: body.readUInt16LE(10) };
  }
  const plain = (codec: Sound['codec'], sampleRate: number, channels: number) => {
    return { codec, sampleRate, channels, clock: sampleRate, lead: 0 };
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

// A page has at most 65 307 bytes, so the tail holds a whole one.
const HEAD_BYTES = 2 ** 17;
const TAIL_BYTES = 2 ** 17;
const LONGEST_PAGE_SECONDS = 60;
