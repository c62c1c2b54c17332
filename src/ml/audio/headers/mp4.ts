import { type Header, isCutOff } from '../header.ts';
import { AudioRefused } from '../refused.ts';
import type { Bytes } from './bytes.ts';

/** MP4, M4A, QuickTime and 3GP (ISO/IEC 14496-12): boxes in boxes; the one named `moov` is the index of all. */
export async function readMp4(bytes: Bytes): Promise<Header> {
  const { moov, afterSound, missing } = await outline(bytes);
  if (!moov) throw new AudioRefused('corrupt', 'The MP4 file has no index: it breaks off, or was never finished.');
  if (moov.bytes > LARGEST_INDEX) throw new AudioRefused('corrupt', 'The MP4 file has an index larger than sound needs.');
  const index = await bytes.read(moov.at, moov.bytes);
  const tracks = [...boxesIn(index, 8, index.length)]
    .filter(({ type }) => type === 'trak')
    .map((box) => trackIn(index, box))
    .filter(({ handler }) => handler === 'soun');
  const track = tracks[0];
  if (!track) throw new AudioRefused('no_sound', 'The MP4 file has no track of sound.');
  if (PROTECTED.test(track.codec)) throw new AudioRefused('protected', 'The MP4 file is protected by its seller.');
  const { seconds, sampleRate, channels } = track;
  if (missing > 0 && isCutOff(seconds * (1 - missing / (bytes.size + missing)), seconds || 60)) {
    throw new AudioRefused('corrupt', 'The MP4 file is shorter than it says.');
  }
  return {
    ...(seconds > 0 && { duration: { seconds, counted: true } }),
    ...(sampleRate > 0 && { sampleRate }),
    channels,
    ...(afterSound && { index: moov }),
  };
}

// Four hours of sound take about 6 MB, of video some more.
const LARGEST_INDEX = 2 ** 26;
const MOST_BOXES = 200_000;
/** Sound under FairPlay (`drms`) or Common Encryption (`enca`, ISO/IEC 23001-7). */
const PROTECTED = /^(drms|enca|aavd)$/;

/** Where the index lies, whether sound comes before it, and how many bytes the outermost boxes claim beyond the end. */
async function outline(bytes: Bytes) {
  let moov: { at: number; bytes: number } | undefined;
  let afterSound = false;
  let missing = 0;
  let at = 0;
  for (let boxes = 0; boxes < MOST_BOXES && at + 8 <= bytes.size; boxes++) {
    const head = await bytes.read(at, 16);
    const { type, size } = boxAt(head, 0, bytes.size - at);
    if (size < 8) throw new AudioRefused('corrupt', 'The MP4 file contradicts itself.');
    missing = Math.max(0, at + size - bytes.size);
    if (type === 'moov' && missing === 0) moov ??= { at, bytes: size };
    if (type === 'mdat' && !moov) afterSound = true;
    at += size;
  }
  return { moov, afterSound, missing };
}

interface Box {
  readonly type: string;
  /** Where its content begins and ends. */
  readonly from: number;
  readonly to: number;
}

/** The type and whole size of the box whose head begins at `at`; of one that goes on to the end, `left`. */
function boxAt(bytes: Buffer, at: number, left: number): { type: string; size: number; head: number } {
  const type = bytes.toString('latin1', at + 4, at + 8);
  const size = bytes.readUInt32BE(at);
  if (size === 0) return { type, size: left, head: 8 };
  if (size === 1 && at + 16 <= bytes.length) {
    return { type, size: Number(bytes.readBigUInt64BE(at + 8)), head: 16 };
  }
  return { type, size, head: 8 };
}

function* boxesIn(bytes: Buffer, from: number, to: number): Generator<Box> {
  for (let at = from; at + 8 <= to; ) {
    const { type, size, head } = boxAt(bytes, at, to - at);
    if (size < head || at + size > to) return;
    yield { type, from: at + head, to: at + size };
    at += size;
  }
}

/** The content of the box that a path of types leads to. */
function inside(bytes: Buffer, box: Box, ...path: string[]): Buffer | undefined {
  const [type, ...rest] = path;
  if (type === undefined) return bytes.subarray(box.from, box.to);
  for (const inner of boxesIn(bytes, box.from, box.to)) {
    if (inner.type === type) return inside(bytes, inner, ...rest);
  }
  return undefined;
}

function trackIn(index: Buffer, trak: Box) {
  const handler = inside(index, trak, 'mdia', 'hdlr')?.toString('latin1', 8, 12);
  const clock = inside(index, trak, 'mdia', 'mdhd');
  const entry = inside(index, trak, 'mdia', 'minf', 'stbl', 'stsd')?.subarray(8);
  const described = entry !== undefined && entry.length >= 36;
  return {
    handler,
    seconds: clock ? secondsOf(clock) : 0,
    codec: entry?.toString('latin1', 4, 8) ?? '',
    // QuickTime's second version of this entry has its own form; ffmpeg and the decoder know it.
    channels: described && entry.readUInt16BE(16) < 2 ? entry.readUInt16BE(24) : 2,
    sampleRate: described && entry.readUInt16BE(16) < 2 ? entry.readUInt16BE(32) : 0,
  };
}

/** What `mdhd` says: ticks, and how many make a second; 0 where the length is left open. */
function secondsOf(clock: Buffer): number {
  const wide = clock[0] === 1;
  if (clock.length < (wide ? 32 : 20)) return 0;
  const scale = clock.readUInt32BE(wide ? 20 : 12);
  const ticks = wide ? Number(clock.readBigUInt64BE(24)) : clock.readUInt32BE(16);
  const open = wide ? ticks >= 2 ** 63 : ticks === 0xffffffff;
  return scale === 0 || open ? 0 : ticks / scale;
}
