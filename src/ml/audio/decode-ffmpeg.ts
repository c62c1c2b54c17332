import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { AudioType } from '../../base/sniff-audio.ts';
import { SAMPLE_RATE } from './audio-constants.ts';
import { AudioError } from './audio-error.ts';
import { withStallTimeout } from './stall-timeout.ts';

/** Whether an `ffmpeg` on the PATH starts. Checked once per process. */
export const hasFfmpeg = async (): Promise<boolean> => (await ffmpegPath()) !== undefined;

function ffmpegPath(): Promise<string | undefined> {
  cachedPath ??= findFfmpeg();
  return cachedPath;
}
let cachedPath: Promise<string | undefined> | undefined;

async function findFfmpeg(): Promise<string | undefined> {
  // eslint-disable-next-line no-restricted-properties -- a program with an empty environment is started by its full path
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const folder of folders) {
    const path = join(folder, 'ffmpeg');
    const starts = promisify(execFile)(path, ['-hide_banner', '-version'], { timeout: 20_000, env: {} });
    if (await starts.catch(() => undefined)) return path;
  }
  return undefined;
}

/**
 * Decodes a file to mono 16 kHz samples in chunks of some tenths of a second. The child process waits while no chunk is
 * read. It is killed when the signal aborts, when the consumer stops, and after a minute without output.
 */
export async function* decodeWithFfmpeg(
  path: string,
  { type, maxSeconds, signal }: { type: AudioType; maxSeconds: number; signal: AbortSignal },
): AsyncGenerator<Float32Array> {
  signal.throwIfAborted();
  const program = await ffmpegPath();
  if (program === undefined) throw new Error('ffmpeg is not installed.');
  signal.throwIfAborted();
  // Its own process group, so that Ctrl-C reaches only this process. No environment: it holds secrets, and the file is
  // untrusted.
  const child = spawn(program, ffmpegArguments(path, type, maxSeconds), {
    detached: true,
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const errorText = boundedText(child.stderr);
  const kill = () => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  const ended = once(child, 'close') as Promise<[code: number | null, killedBy: NodeJS.Signals | null]>;
  // Awaited after the last sample; until then a rejection must not be unhandled.
  ended.catch(() => {});
  try {
    let samples = 0;
    for await (const piece of withStallTimeout(samplesIn(child.stdout), STALL_MS)) {
      samples += piece.length;
      yield piece;
    }
    signal.throwIfAborted();
    const [code, killedBy] = await ended;
    signal.throwIfAborted();
    // For example the out-of-memory killer: the samples so far are incomplete.
    if (killedBy || code === STOPPED_BY_SIGNAL_CODE) throw new Error(`ffmpeg was killed by ${killedBy ?? 'a signal'}.`);
    if (code !== 0 && samples === 0) throw toAudioError(errorText());
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
    await ended.catch(() => {});
  }
}

/** ffmpeg's exit code after a signal: it flushes its output first. */
const STOPPED_BY_SIGNAL_CODE = 255;
// A file can be crafted to keep its decoder busy.
const STALL_MS = 60_000;
const MAX_ERROR_CHARS = 2000;

/** Fixes the demuxer. By default ffmpeg would treat a text file as a playlist and follow its addresses. */
const DEMUXERS: Readonly<Record<AudioType, string>> = {
  wav: 'wav',
  mp3: 'mp3',
  m4a: 'mov',
  mp4: 'mov',
  aac: 'aac',
  ogg: 'ogg',
  opus: 'ogg',
  flac: 'flac',
  webm: 'matroska',
  amr: 'amr',
};

/** Audio decoders in common use; video decoders and the rest are excluded. */
const CODECS = [
  'mp3float,mp3,mp2float,mp2,mp1float,mp1,aac,libfdk_aac,alac,flac,vorbis,libvorbis,opus,libopus,speex,libspeex',
  'amrnb,amrwb,libopencore_amrnb,libopencore_amrwb,ac3,eac3,adpcm_ms,adpcm_ima_wav,adpcm_ima_qt,gsm_ms',
  'pcm_u8,pcm_s8,pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_s32be',
  'pcm_f32le,pcm_f32be,pcm_f64le,pcm_f64be,pcm_alaw,pcm_mulaw',
].join(',');

function ffmpegArguments(path: string, type: AudioType, maxSeconds: number): string[] {
  return [
    ['-hide_banner', '-nostdin', '-loglevel', 'error'],
    // One thread: the recognizer uses the other cores. `max_alloc` limits a single allocation to 256 MiB.
    ['-threads', '1', '-max_alloc', String(2 ** 28)],
    ['-protocol_whitelist', 'file', '-codec_whitelist', CODECS],
    ['-f', DEMUXERS[type], '-vn', '-sn', '-dn', '-i', `file:${path}`],
    ['-map', '0:a:0', '-map_metadata', '-1', '-t', String(Math.ceil(maxSeconds) + 2)],
    // Fills timestamp gaps (a paused recorder, late audio in a video) with silence, so that word times match playback.
    ['-af', `aresample=${SAMPLE_RATE}:async=1:first_pts=0`, '-ac', '1', '-f', 's16le', 'pipe:1'],
  ].flat();
}

/** Converts 16-bit bytes to samples. With 16 bits ffmpeg keeps the sum of two channels within ±1. */
async function* samplesIn(bytes: Readable): AsyncGenerator<Float32Array> {
  let carry: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    const all = carry.length > 0 ? Buffer.concat([carry, chunk]) : chunk;
    const samples = new Float32Array(all.length >> 1);
    for (let i = 0; i < samples.length; i++) samples[i] = all.readInt16LE(2 * i) / 32_768;
    carry = all.subarray(2 * samples.length);
    if (samples.length > 0) yield samples;
  }
}

/** ffmpeg's own text contains a local path, so it goes into `cause` only. */
function toAudioError(stderr: string): AudioError {
  const isUnsupported = /not found|not implemented|not supported|unsupported/i.test(stderr);
  const message = isUnsupported
    ? 'ffmpeg does not support the codec of this recording.'
    : 'ffmpeg found no audio in the file.';
  return new AudioError(isUnsupported ? 'unsupported' : 'corrupt', message, { cause: new Error(stderr) });
}

function boundedText(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (more: string) => {
    if (text.length < MAX_ERROR_CHARS) text += more.slice(0, MAX_ERROR_CHARS);
  });
  return () => text.trim();
}
