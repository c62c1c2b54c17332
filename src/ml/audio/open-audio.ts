import { type AudioType, id3Length, SNIFFED_BYTES, sniffAudio } from '../../base/sniff-audio.ts';
import { decodeWithFfmpeg, hasFfmpeg } from './decode-ffmpeg.ts';
import { decodeWithWasm } from './decode-wasm.ts';
import { type Header, isCutOff } from './header.ts';
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
import { checkSound } from './sound-check.ts';

export { type AudioProblem, AudioRefused } from './refused.ts';

/** A recording that can be listened to, any number of times. */
export interface Audio {
  readonly format: AudioType;
  /** As its header says, or, of kinds whose header does not, about; absent where nothing is known. */
  readonly durationSeconds: number | undefined;
  /**
   * Mono, 16 000 samples a second, from `fromSeconds` on, in order, in pieces of some tenths of a second; the same samples
   * wherever one begins. Throws `AudioRefused` when the recording turns out to be broken, cut off or too long, and the
   * signal's reason when it aborts. Decoding stops with whoever takes the pieces.
   */
  pieces(options: { fromSeconds?: number; signal: AbortSignal }): AsyncIterable<Float32Array>;
}

/**
 * Opens a file as a recording, whatever its name says it is. Throws `AudioRefused` for one that shows by its header that it
 * cannot be heard. It is decoded by ffmpeg where this machine has it, else by WebAssembly, or as `decoder` says.
 */
export async function openAudio(
  path: string,
  options: { signal: AbortSignal; maxSeconds: number; decoder?: 'ffmpeg' | 'wasm' },
): Promise<Audio> {
  const { signal, maxSeconds } = options;
  const { type, header } = await look(path, signal);
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
      // Decoded from the beginning: places found by searching in a compressed file are not exact to the sample.
      const from = Math.round(fromSeconds * SAMPLE_RATE);
      let heard = 0;
      for await (const piece of decode(signal)) {
        const wanted = piece.subarray(Math.max(0, Math.min(from - heard, piece.length)));
        heard += piece.length;
        if (heard > maxSeconds * SAMPLE_RATE) throw tooLong(maxSeconds);
        if (wanted.length > 0) yield wanted;
      }
      if (heard === 0) throw new AudioRefused('corrupt', 'The recording has no sound in it.');
      if (duration?.counted && isCutOff(heard / SAMPLE_RATE, duration.seconds)) {
        throw new AudioRefused('corrupt', 'The recording breaks off before its end.');
      }
    },
  };
}

async function look(path: string, signal: AbortSignal): Promise<{ type: AudioType; header: Header }> {
  const bytes = await openBytes(path, signal);
  try {
    if (bytes.size === 0) throw new AudioRefused('corrupt', 'The file is empty.');
    const { skip, head } = await behindTags(bytes);
    const type = sniffAudio(head);
    if (!type) throw new AudioRefused('unsupported', 'The file is no recording of a kind that is known here.');
    const header = await readHeader(type, bytes, skip);
    checkSound(header);
    return { type, header };
  } finally {
    await bytes.close();
  }
}

/** Where the tags in front end (there may be several, each with a picture), and what begins there. */
async function behindTags(bytes: Bytes): Promise<{ skip: number; head: Buffer }> {
  for (let skip = 0, tags = 0; skip < bytes.size && tags < MOST_TAGS; tags++) {
    const head = await bytes.read(skip, SNIFFED_BYTES);
    const tag = id3Length(head);
    if (tag === 0) return { skip, head };
    skip += tag;
  }
  throw new AudioRefused('corrupt', 'The file has nothing but tags.');
}
// A tag may take ten bytes: a file full of them would be read for an hour.
const MOST_TAGS = 100;

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
