import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { AudioType } from '../../base/sniff-audio.ts';
import { MAX_SAMPLE, SAMPLE_RATE } from './audio-constants.ts';
import { AudioError } from './audio-error.ts';
import type { Header } from './header.ts';
import { createMixer } from './mixer.ts';
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
  options: { type: AudioType; header: Pick<Header, 'isFloat' | 'channels'>; maxSeconds: number; signal: AbortSignal },
): AsyncGenerator<Float32Array> {
  const { signal } = options;
  signal.throwIfAborted();
  const program = await ffmpegPath();
  if (program === undefined) throw new Error('ffmpeg is not installed.');
  signal.throwIfAborted();
  // Its own process group, so that Ctrl-C reaches only this process. No environment: it holds secrets, and the file is
  // untrusted.
  const child = spawn(program, ffmpegArguments(path, options), {
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

type FfmpegOptions = Parameters<typeof decodeWithFfmpeg>[1];

function ffmpegArguments(path: string, { type, header, maxSeconds }: FfmpegOptions): string[] {
  return [
    ['-hide_banner', '-nostdin', '-loglevel', 'error'],
    // One thread: the recognizer uses the other cores. `max_alloc` limits a single allocation to 256 MiB.
    ['-threads', '1', '-max_alloc', String(2 ** 28)],
    ['-protocol_whitelist', 'file', '-codec_whitelist', CODECS],
    ['-f', DEMUXERS[type], '-vn', '-sn', '-dn', '-i', `file:${path}`],
    ['-filter_complex_threads', '1', '-filter_complex', filters(header)],
    ['-map_metadata', '-1', '-t', String(Math.ceil(maxSeconds) + 2), '-f', 's16le', 'pipe:1'],
  ].flat();
}

/** Two output channels: the mix of all channels, and half the difference of left and right. */
function filters({ isFloat = false, channels = 0 }: FfmpegOptions['header']): string {
  // Fills timestamp gaps (a paused recorder, late audio in a video) with silence, so that word times match playback.
  const convert = `aresample=${SAMPLE_RATE}:async=1:first_pts=0,aformat=s16:${SAMPLE_RATE}:mono`;
  // `c=same` ends ffmpeg for one channel and drops channels of many: those are not filtered.
  const layout = isFloat ? ['mono', 'stereo'][channels - 1] : undefined;
  const valid = layout === undefined ? '' : `aeval=if(lt(abs(val(ch))\\,${MAX_SAMPLE})\\,val(ch)\\,0):c=${layout},`;
  return [
    `[0:a:0]${valid}asplit[all][stereo]`,
    `[all]${convert}[mean]`,
    `[stereo]aformat=channel_layouts=stereo,pan=mono|c0=0.5*c0-0.5*c1,${convert}[difference]`,
    '[mean][difference]amerge',
  ].join(';');
}

/** Converts 16-bit bytes to samples. With 16 bits ffmpeg keeps the sum of two channels within ±1. */
async function* samplesIn(bytes: Readable): AsyncGenerator<Float32Array> {
  const mixer = createMixer(SAMPLE_RATE / 2);
  let carry: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    const all = carry.length > 0 ? Buffer.concat([carry, chunk]) : chunk;
    const mean = new Float32Array(all.length >> 2);
    const difference = new Float32Array(mean.length);
    for (let i = 0; i < mean.length; i++) {
      mean[i] = all.readInt16LE(4 * i) / 32_768;
      difference[i] = all.readInt16LE(4 * i + 2) / 32_768;
    }
    carry = all.subarray(4 * mean.length);
    const samples = mixer.push(mean, difference);
    if (samples.length > 0) yield samples;
  }
  const rest = mixer.end();
  if (rest.length > 0) yield rest;
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
