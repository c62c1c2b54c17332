import { type Duration, type Header, isCutOff } from '../header.ts';
import { AudioRefused } from '../refused.ts';
import { type Box, boxAt, boxesIn, inside } from './boxes.ts';
import type { Bytes } from './bytes.ts';
import { type Declared, declaredIn, lying } from './mp4-tables.ts';

/** MP4, M4A, QuickTime and 3GP: the box named `moov` is the index of all. */
export async function readMp4(bytes: Bytes): Promise<Header> {
  const { moov, soundFirst, missing, fragments, lastFragment } = await outline(bytes);
  if (!moov) throw new AudioRefused('corrupt', 'The MP4 file has no index: it breaks off, or was never finished.');
  if (moov.bytes > LARGEST_INDEX)
    throw new AudioRefused('corrupt', 'The index of the MP4 file is too large for sound.');
  const index = await bytes.read(moov.at, moov.bytes);
  const movie: Box = { type: 'moov', from: 8, to: index.length };
  // Each takes a byte of the file at least, and a reader's memory.
  const { samples, apart } = sum(declaredIn(index, movie), fragments);
  if (apart > Math.min(bytes.size, MOST_SAMPLES)) throw lying();
  const movieClock = inside(index, movie, 'mvhd');
  const track = [...boxesIn(index, movie.from, movie.to)]
    .filter(({ type }) => type === 'trak')
    .slice(0, MOST_TRACKS)
    .map((trak) => trackIn(index, trak, movieClock))
    .find(({ handler }) => handler === 'soun');
  if (!track) throw new AudioRefused('no_sound', 'The MP4 file has no track of sound.');
  if (PROTECTED.test(track.codec)) throw new AudioRefused('protected', 'The MP4 file is protected by its seller.');

  const duration = track.seconds > 0 ? { seconds: track.seconds, counted: true } : await lengthSoFar();
  const seconds = duration?.seconds ?? 60;
  if (isCutOff((seconds * bytes.size) / (bytes.size + missing), seconds)) {
    throw new AudioRefused('corrupt', 'The MP4 file is shorter than it says.');
  }
  return {
    ...(duration && { duration }),
    ...(track.sampleRate > 0 && { sampleRate: track.sampleRate }),
    channels: track.channels,
    samples,
    ...(soundFirst && { index: moov }),
  };

  /** Of what was written while it was recorded, piece by piece: when the last piece begins. */
  async function lengthSoFar(): Promise<Duration | undefined> {
    if (!lastFragment || !track) return undefined;
    const fragment = await bytes.read(lastFragment.at, lastFragment.bytes);
    for (const traf of boxesIn(fragment, 8, fragment.length)) {
      const [head, time] = [inside(fragment, traf, 'tfhd'), inside(fragment, traf, 'tfdt')];
      if (!head || !time || head.length < 8 || time.length < 8 || head.readUInt32BE(4) !== track.id) continue;
      const ticks = time[0] === 1 && time.length >= 12 ? Number(time.readBigUInt64BE(4)) : time.readUInt32BE(4);
      return ticks > 0 ? { seconds: ticks / track.scale, counted: false } : undefined;
    }
    return undefined;
  }
}

// Four hours of sound take about 6 MB, of video some more.
const LARGEST_INDEX = 2 ** 26;
const MOST_BOXES = 200_000;
const MOST_TRACKS = 100;
/** Four hours of video and sound have two million. */
const MOST_SAMPLES = 2 ** 23;
/** Sound under FairPlay (`drms`), Common Encryption (`enca`, ISO/IEC 23001-7) or Audible's lock (`aavd`). */
const PROTECTED = /^(drms|enca|aavd)$/;

/**
 * The outermost boxes: the index, whether sound lies before it, the samples that fragments declare, and how many bytes are
 * claimed beyond the file's end.
 */
async function outline(bytes: Bytes) {
  let moov: { at: number; bytes: number } | undefined;
  let lastFragment: typeof moov;
  let soundFirst = false;
  let missing = 0;
  let fragments: Declared = { samples: 0, apart: 0 };
  let at = 0;
  for (let boxes = 0; boxes < MOST_BOXES && at + 8 <= bytes.size; boxes++) {
    const { type, size } = boxAt(await bytes.read(at, 16), 0, bytes.size - at);
    // What is no box any more does not matter to those before it.
    if (size < 8 || !/^[ -~]{4}$/.test(type)) break;
    missing = Math.max(0, at + size - bytes.size);
    if (type === 'moov' && missing === 0) moov ??= { at, bytes: size };
    if (type === 'moof' && missing === 0) {
      lastFragment = { at, bytes: size };
      if (size > LARGEST_INDEX) throw lying();
      const fragment = await bytes.read(at, size);
      fragments = sum(fragments, declaredIn(fragment, { type, from: 8, to: fragment.length }));
    }
    if (type === 'mdat' && !moov) soundFirst = true;
    at += size;
  }
  return { moov, fragments, lastFragment, soundFirst, missing };
}

const sum = (a: Declared, b: Declared): Declared => ({ samples: a.samples + b.samples, apart: a.apart + b.apart });

function trackIn(index: Buffer, trak: Box, movieClock: Buffer | undefined) {
  const head = inside(index, trak, 'tkhd');
  const clock = inside(index, trak, 'mdia', 'mdhd');
  const edits = inside(index, trak, 'edts', 'elst');
  const entry = inside(index, trak, 'mdia', 'minf', 'stbl', 'stsd')?.subarray(8);
  // QuickTime's second version of the entry has a form of its own.
  const described = entry !== undefined && entry.length >= 36 && entry.readUInt16BE(16) < 2;
  const scale = scaleOf(clock);
  return {
    id: head && head.length >= 24 ? head.readUInt32BE(head[0] === 1 ? 20 : 12) : 0,
    handler: inside(index, trak, 'mdia', 'hdlr')?.toString('latin1', 8, 12),
    scale,
    seconds: Math.min(
      ticksOf(clock) / scale,
      edits ? editedTicks(edits) / scaleOf(movieClock) : Number.POSITIVE_INFINITY,
    ),
    codec: entry?.toString('latin1', 4, 8) ?? '',
    channels: described ? entry.readUInt16BE(24) : 2,
    sampleRate: described ? entry.readUInt16BE(32) : 0,
  };
}

/** The length in ticks that `mdhd` says; 0 where it is left open. */
function ticksOf(clock: Buffer | undefined): number {
  const wide = clock?.[0] === 1;
  if (!clock || clock.length < (wide ? 32 : 20)) return 0;
  const ticks = wide ? Number(clock.readBigUInt64BE(24)) : clock.readUInt32BE(16);
  return ticks >= (wide ? 2 ** 63 : 2 ** 32 - 1) ? 0 : ticks;
}

/** How many ticks of `mdhd` or `mvhd` make a second. */
function scaleOf(clock: Buffer | undefined): number {
  const at = clock?.[0] === 1 ? 20 : 12;
  const scale = clock && clock.length >= at + 4 ? clock.readUInt32BE(at) : 0;
  return scale || Number.POSITIVE_INFINITY;
}

/** How much of a track its edit list shows, in ticks of the movie: a phone that trims a video only writes another list. */
function editedTicks(edits: Buffer): number {
  const wide = edits[0] === 1;
  const entry = wide ? 20 : 12;
  let ticks = 0;
  for (let at = 8; at + entry <= edits.length; at += entry) {
    ticks += wide ? Number(edits.readBigUInt64BE(at)) : edits.readUInt32BE(at);
  }
  // Of what is written while it is recorded, the length is not known yet.
  return ticks || Number.POSITIVE_INFINITY;
}
