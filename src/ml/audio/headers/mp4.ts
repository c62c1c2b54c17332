import { type Box, boxContent, readBoxes, readBoxHeader } from '../../iso-boxes.ts';
import { AudioError } from '../audio-error.ts';
import { type Duration, type Header, isTruncated } from '../header.ts';
import type { FileReader } from './file-reader.ts';
import { countDeclaredSamples, invalidIndexError, type SampleCounts } from './mp4-tables.ts';

/** MP4, M4A, QuickTime and 3GP: reads the index box `moov`. */
export async function readMp4(bytes: FileReader): Promise<Header> {
  const { moov, soundFirst, missing, fragments, lastFragment } = await readTopLevelBoxes(bytes);
  if (!moov) throw new AudioError('corrupt', 'The MP4 file has no index: it is truncated or was not finalized.');
  if (moov.bytes > MAX_INDEX_BYTES)
    throw new AudioError('corrupt', 'The index of the MP4 file is too large for an audio file.');
  const index = await bytes.read(moov.at, moov.bytes);
  const movie: Box = { type: 'moov', from: 8, to: index.length };
  // Every sample takes at least one byte of the file.
  const { samples, allocated } = sum(countDeclaredSamples(index, movie), fragments);
  if (allocated > Math.min(bytes.size, MAX_SAMPLES)) throw invalidIndexError();
  const movieClock = boxContent(index, movie, 'mvhd');
  const track = [...readBoxes(index, movie.from, movie.to)]
    .filter(({ type }) => type === 'trak')
    .slice(0, MAX_TRACKS)
    .map((trak) => trackIn(index, trak, movieClock))
    .find(({ handler }) => handler === 'soun');
  if (!track) throw new AudioError('no_sound', 'The MP4 file has no audio track.');
  if (PROTECTED.test(track.codec)) throw new AudioError('protected', 'The MP4 file is protected by DRM.');

  const duration: Duration | undefined =
    track.seconds > 0 ? { seconds: track.seconds, isExact: true } : await durationOfFragments();
  const seconds = duration?.seconds ?? 60;
  if (isTruncated((seconds * bytes.size) / (bytes.size + missing), seconds)) {
    throw new AudioError('corrupt', 'The MP4 file is shorter than its index declares.');
  }
  return {
    ...(duration && { duration }),
    ...(track.sampleRate > 0 && { sampleRate: track.sampleRate }),
    channels: track.channels,
    samples,
    ...(soundFirst && { index: moov }),
  };

  async function durationOfFragments(): Promise<Duration | undefined> {
    if (!lastFragment || !track) return undefined;
    const fragment = await bytes.read(lastFragment.at, lastFragment.bytes);
    for (const traf of readBoxes(fragment, 8, fragment.length)) {
      const [head, time] = [boxContent(fragment, traf, 'tfhd'), boxContent(fragment, traf, 'tfdt')];
      if (!head || !time || head.length < 8 || time.length < 8 || head.readUInt32BE(4) !== track.id) continue;
      const ticks = time[0] === 1 && time.length >= 12 ? Number(time.readBigUInt64BE(4)) : time.readUInt32BE(4);
      return ticks > 0 ? { seconds: ticks / track.scale, isExact: false } : undefined;
    }
    return undefined;
  }
}

// Four hours of audio take about 6 MB, of video a little more.
const MAX_INDEX_BYTES = 2 ** 26;
const MAX_BOXES = 200_000;
const MAX_TRACKS = 100;
/** Four hours of video and sound have two million. */
const MAX_SAMPLES = 2 ** 23;
/** FairPlay (`drms`), Common Encryption (`enca`, ISO/IEC 23001-7) and Audible (`aavd`). */
const PROTECTED = /^(drms|enca|aavd)$/;

/**
 * Reads the top-level boxes. `soundFirst`: audio data precedes the index; `missing`: bytes declared beyond the end of
 * the file.
 */
async function readTopLevelBoxes(bytes: FileReader) {
  let moov: { at: number; bytes: number } | undefined;
  let lastFragment: typeof moov;
  let soundFirst = false;
  let missing = 0;
  let fragments: SampleCounts = { samples: 0, allocated: 0 };
  let at = 0;
  for (let boxes = 0; boxes < MAX_BOXES && at + 8 <= bytes.size; boxes++) {
    const { type, size } = readBoxHeader(await bytes.read(at, 16), 0, bytes.size - at);
    if (size < 8 || !/^[ -~]{4}$/.test(type)) break;
    missing = Math.max(0, at + size - bytes.size);
    if (type === 'moov' && missing === 0) moov ??= { at, bytes: size };
    if (type === 'moof' && missing === 0) {
      lastFragment = { at, bytes: size };
      if (size > MAX_INDEX_BYTES) throw invalidIndexError();
      const fragment = await bytes.read(at, size);
      fragments = sum(fragments, countDeclaredSamples(fragment, { type, from: 8, to: fragment.length }));
    }
    if (type === 'mdat' && !moov) soundFirst = true;
    at += size;
  }
  return { moov, fragments, lastFragment, soundFirst, missing };
}

const sum = (a: SampleCounts, b: SampleCounts): SampleCounts => ({
  samples: a.samples + b.samples,
  allocated: a.allocated + b.allocated,
});

function trackIn(index: Buffer, trak: Box, movieClock: Buffer | undefined) {
  const head = boxContent(index, trak, 'tkhd');
  const clock = boxContent(index, trak, 'mdia', 'mdhd');
  const edits = boxContent(index, trak, 'edts', 'elst');
  const entry = boxContent(index, trak, 'mdia', 'minf', 'stbl', 'stsd')?.subarray(8);
  // Version 2 sample entries have another layout.
  const hasKnownLayout = entry !== undefined && entry.length >= 36 && entry.readUInt16BE(16) < 2;
  const scale = readTimescale(clock);
  return {
    id: head && head.length >= 24 ? head.readUInt32BE(head[0] === 1 ? 20 : 12) : 0,
    handler: boxContent(index, trak, 'mdia', 'hdlr')?.toString('latin1', 8, 12),
    scale,
    seconds: Math.min(
      readDuration(clock) / scale,
      edits ? editedTicks(edits) / readTimescale(movieClock) : Number.POSITIVE_INFINITY,
    ),
    codec: entry?.toString('latin1', 4, 8) ?? '',
    channels: hasKnownLayout ? entry.readUInt16BE(24) : 2,
    sampleRate: hasKnownLayout ? entry.readUInt16BE(32) : 0,
  };
}

function readDuration(clock: Buffer | undefined): number {
  const wide = clock?.[0] === 1;
  if (!clock || clock.length < (wide ? 32 : 20)) return 0;
  const ticks = wide ? Number(clock.readBigUInt64BE(24)) : clock.readUInt32BE(16);
  return ticks >= (wide ? 2 ** 63 : 2 ** 32 - 1) ? 0 : ticks;
}

function readTimescale(clock: Buffer | undefined): number {
  const at = clock?.[0] === 1 ? 20 : 12;
  const scale = clock && clock.length >= at + 4 ? clock.readUInt32BE(at) : 0;
  return scale || Number.POSITIVE_INFINITY;
}

/** Ticks of the movie that the edit list shows. A phone that trims a video rewrites only this list. */
function editedTicks(edits: Buffer): number {
  const wide = edits[0] === 1;
  const entry = wide ? 20 : 12;
  let ticks = 0;
  for (let at = 8; at + entry <= edits.length; at += entry) {
    ticks += wide ? Number(edits.readBigUInt64BE(at)) : edits.readUInt32BE(at);
  }
  // Fragmented recordings do not know their length here.
  return ticks || Number.POSITIVE_INFINITY;
}
