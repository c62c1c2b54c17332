import { type AudioType, id3Length, SNIFFED_BYTES, sniffAudio } from '../../base/sniff-audio.ts';
import { SAMPLE_RATE } from './audio-constants.ts';
import { AudioError } from './audio-error.ts';
import { decodeWithFfmpeg, hasFfmpeg } from './decode-ffmpeg.ts';
import { decodeWithWasm } from './decode-wasm.ts';
import { type Header, isTruncated, validateAudioFormat } from './header.ts';
import { readAmr } from './headers/amr.ts';
import { type FileReader, openFileReader } from './headers/file-reader.ts';
import { readFlac } from './headers/flac.ts';
import { readMp4 } from './headers/mp4.ts';
import { readMpegAudio } from './headers/mpeg-audio.ts';
import { readOgg } from './headers/ogg.ts';
import { readWav } from './headers/wav.ts';
import { readWebm } from './headers/webm.ts';

export { AudioError, type AudioProblem } from './audio-error.ts';

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
  if (duration?.isExact && duration.seconds > maxSeconds) throw tooLong(maxSeconds);
  signal.throwIfAborted();
  const decoder = options.decoder ?? ((await hasFfmpeg()) ? 'ffmpeg' : 'wasm');
  const decode = (signal: AbortSignal) =>
    decoder === 'ffmpeg'
      ? decodeWithFfmpeg(path, { type, header, maxSeconds, signal })
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
      if (decoded === 0) throw new AudioError('corrupt', 'The recording has no audio.');
      if (duration?.isExact && isTruncated(decoded / SAMPLE_RATE, duration.seconds)) {
        throw new AudioError('corrupt', 'The recording ends before its declared duration.');
      }
    },
  };
}

async function readMetadata(path: string, signal: AbortSignal): Promise<{ type: AudioType; header: Header }> {
  const bytes = await openFileReader(path, signal);
  try {
    if (bytes.size === 0) throw new AudioError('corrupt', 'The file is empty.');
    const { skip, head } = await skipTags(bytes);
    const type = sniffAudio(head);
    if (!type) throw new AudioError('unsupported', 'The file is not an audio recording in a supported format.');
    const header = await HEADER_READERS[type](bytes, skip);
    validateAudioFormat(header);
    return { type, header };
  } finally {
    await bytes.close();
  }
}

async function skipTags(bytes: FileReader): Promise<{ skip: number; head: Buffer }> {
  for (let skip = 0, tags = 0; skip < bytes.size && tags < MAX_TAGS; tags++) {
    const head = await bytes.read(skip, SNIFFED_BYTES);
    const tag = id3Length(head);
    if (tag === 0) return { skip, head };
    skip += tag;
  }
  throw new AudioError('corrupt', 'The file contains only tags.');
}
// A tag can be ten bytes long: a file full of tags would take an hour to scan.
const MAX_TAGS = 100;

const HEADER_READERS: Record<AudioType, (bytes: FileReader, skip: number) => Promise<Header>> = {
  wav: readWav,
  mp3: readMpegAudio,
  aac: readMpegAudio,
  m4a: readMp4,
  mp4: readMp4,
  ogg: readOgg,
  opus: readOgg,
  flac: readFlac,
  webm: readWebm,
  amr: readAmr,
};

function tooLong(maxSeconds: number): AudioError {
  return new AudioError('too_long', `The recording is longer than ${maxSeconds} seconds.`);
}
