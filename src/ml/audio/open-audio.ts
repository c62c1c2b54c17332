import { type AudioType, id3Length, SNIFFED_BYTES, sniffAudio } from '../../base/sniff-audio.ts';
import { decodeWithFfmpeg, hasFfmpeg } from './decode-ffmpeg.ts';
import { decodeWithWasm } from './decode-wasm.ts';
import { checkSound, type Header, isCutOff } from './header.ts';
import { readAmr } from './headers/amr.ts';
import { type Bytes, openBytes } from './headers/bytes.ts';
import { readFlac } from './headers/flac.ts';
import { readFrames } from './headers/frames.ts';
import { readMp4 } from './headers/mp4.ts';
import { readOgg } from './headers/ogg.ts';
import { readWav } from './headers/wav.ts';
import { readWebm } from './headers/webm.ts';
import { AudioRefused } from './refused.ts';
import { SAMPLE_RATE } from './sound.ts';

export { type AudioProblem, AudioRefused } from './refused.ts';

export interface Audio {
  readonly format: AudioType;
  /** From the header or estimated from the file size; undefined when unknown. */
  readonly durationSeconds: number | undefined;
  /**
   * Decodes mono 16 kHz samples from `fromSeconds` on, in chunks of some tenths of a second; deterministic for any
   * start. Throws `AudioError` when the recording is broken, truncated or too long, and the signal's reason when it
   * aborts. Decoding stops when the consumer stops.
   */
  pieces(options: { fromSeconds?: number; signal: AbortSignal }): AsyncIterable<Float32Array>;
}

/**
 * Opens a file by its content, not its name. Throws `AudioError` if its header shows that it cannot be decoded. The
 * default decoder is ffmpeg if installed, else WebAssembly.
 */
export async function openAudio(
  path: string,
  options: { signal: AbortSignal; maxSeconds: number; decoder?: 'ffmpeg' | 'wasm' },
): Promise<Audio> {
  const { signal, maxSeconds } = options;
  const { type, header } = await readMetadata(path, signal);
  const { duration } = header;
  if (duration?.counted && duration.seconds > maxSeconds) throw tooLong(maxSeconds);
  signal.throwIfAborted();
  const decoder = options.decoder ?? ((await hasFfmpeg()) ? 'ffmpeg' : 'wasm');
  const decode = (signal: AbortSignal) =>
    decoder === 'ffmpeg'
      ? decodeWithFfmpeg(path, { type, maxSeconds, signal })
      : decodeWithWasm(path, { type, header, signal });

  return {
    format: type,
    durationSeconds: duration?.seconds,
    async *pieces({ fromSeconds = 0, signal }) {
      // Decodes from the beginning: seeking in compressed files is not sample-accurate.
      const from = Math.round(fromSeconds * SAMPLE_RATE);
      let decoded = 0;
      for await (const piece of decode(signal)) {
        const wanted = piece.subarray(Math.max(0, Math.min(from - decoded, piece.length)));
        decoded += piece.length;
        if (decoded > maxSeconds * SAMPLE_RATE) throw tooLong(maxSeconds);
        if (wanted.length > 0) yield wanted;
      }
      if (decoded === 0) throw new AudioRefused('corrupt', 'The recording has no audio.');
      if (duration?.counted && isCutOff(decoded / SAMPLE_RATE, duration.seconds)) {
        throw new AudioRefused('corrupt', 'The recording ends before its declared duration.');
      }
    },
  };
}

async function readMetadata(path: string, signal: AbortSignal): Promise<{ type: AudioType; header: Header }> {
  const bytes = await openBytes(path, signal);
  try {
    if (bytes.size === 0) throw new AudioRefused('corrupt', 'The file is empty.');
    const { skip, head } = await skipTags(bytes);
    const type = sniffAudio(head);
    if (!type) throw new AudioRefused('unsupported', 'The file is not an audio recording in a supported format.');
    const header = await readHeader(type, bytes, skip);
    checkSound(header);
    return { type, header };
  } finally {
    await bytes.close();
  }
}

async function skipTags(bytes: Bytes): Promise<{ skip: number; head: Buffer }> {
  for (let skip = 0, tags = 0; skip < bytes.size && tags < MAX_TAGS; tags++) {
    const head = await bytes.read(skip, SNIFFED_BYTES);
    const tag = id3Length(head);
    if (tag === 0) return { skip, head };
    skip += tag;
  }
  throw new AudioRefused('corrupt', 'The file contains only tags.');
}
// A tag can be ten bytes long: a file full of tags would take an hour to scan.
const MAX_TAGS = 100;

function readHeader(type: AudioType, bytes: Bytes, skip: number): Promise<Header> {
  switch (type) {
    case 'wav':
      return readWav(bytes);
    case 'mp3':
    case 'aac':
      return readFrames(bytes, skip);
    case 'm4a':
    case 'mp4':
      return readMp4(bytes);
    case 'ogg':
    case 'opus':
      return readOgg(bytes);
    case 'flac':
      return readFlac(bytes, skip);
    case 'webm':
      return readWebm(bytes);
    case 'amr':
      return readAmr(bytes);
  }
}

function tooLong(maxSeconds: number): AudioRefused {
  return new AudioRefused('too_long', `The recording is longer than ${maxSeconds} seconds.`);
}
