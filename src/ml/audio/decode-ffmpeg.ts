import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { AudioType } from '../../base/sniff-audio.ts';
import { patient } from './patient.ts';
import { AudioRefused } from './refused.ts';
import { SAMPLE_RATE } from './sound.ts';

/** Whether this machine has an ffmpeg that starts. Looked for once. */
export const hasFfmpeg = async (): Promise<boolean> => (await ffmpegPath()) !== undefined;

function ffmpegPath(): Promise<string | undefined> {
  found ??= findFfmpeg();
  return found;
}
let found: Promise<string | undefined> | undefined;

/** The first ffmpeg on the PATH that starts without an environment. */
async function findFfmpeg(): Promise<string | undefined> {
  // eslint-disable-next-line no-restricted-properties -- a program with an empty environment is started by its full path
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const folder of folders) {
    const path = join(folder, 'ffmpeg');
    const starts = promisify(execFile)(path, ['-hide_banner', '-version'], { timeout: 20_000, env: {} });
    if (
      await starts.then(
        () => true,
        () => false,
      )
    )
      return path;
  }
  return undefined;
}

/**
 * What ffmpeg makes of a file: mono, 16 kHz, in pieces of some tenths of a second, from the beginning on. The child reads
 * no faster than its pieces are taken, and is killed when the signal aborts, when nobody takes pieces any more, and when
 * it says nothing for a minute while it was waited for.
 */
export async function* decodeWithFfmpeg(
  path: string,
  { type, maxSeconds, signal }: { type: AudioType; maxSeconds: number; signal: AbortSignal },
): AsyncGenerator<Float32Array> {
  signal.throwIfAborted();
  const program = await ffmpegPath();
  if (program === undefined) throw new Error('ffmpeg is not installed.');
  signal.throwIfAborted();
  // In a group of its own: a Ctrl-C is for us, who then decide what becomes of the recording. Without our environment: it
  // holds secrets, and the file comes from outside.
  const child = spawn(program, ffmpegArguments(path, type, maxSeconds), {
    detached: true,
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const complaints = boundedText(child.stderr);
  const kill = () => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  const ended = endOf(child);
  // It is awaited only once the sound has ended; until then its failure is nobody's.
  ended.catch(() => {});
  try {
    let samples = 0;
    for await (const piece of patient(samplesIn(child.stdout), STALL_MS)) {
      samples += piece.length;
      yield piece;
    }
    signal.throwIfAborted();
    const { code, killedBy } = await ended;
    signal.throwIfAborted();
    // By the kernel for want of memory, say: what was heard so far is not the recording.
    if (killedBy || code === TOLD_TO_STOP) throw new Error(`ffmpeg was ended by ${killedBy ?? 'a signal'}.`);
    if (code !== 0 && samples === 0) throw refusal(complaints());
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
    await ended.catch(() => {});
  }
}

/** What ffmpeg answers when a signal has asked it to stop: it writes what it has and leaves. */
const TOLD_TO_STOP = 255;
// A minute without a tenth of a second of sound is a file made to keep its reader busy.
const STALL_MS = 60_000;
const KEPT_COMPLAINTS = 2000;

/** Which reader ffmpeg is bound to: left to itself it would take a text file for a playlist and follow its addresses. */
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

/** The decoders that a recording may have run: not those of its pictures, nor any of the hundreds that nobody records with. */
const CODECS = [
  'mp3float,mp3,mp2float,mp2,mp1float,mp1,aac,libfdk_aac,alac,flac,vorbis,libvorbis,opus,libopus,speex,libspeex',
  'amrnb,amrwb,libopencore_amrnb,libopencore_amrwb,ac3,eac3,adpcm_ms,adpcm_ima_wav,adpcm_ima_qt,gsm_ms',
  'pcm_u8,pcm_s8,pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_s32be',
  'pcm_f32le,pcm_f32be,pcm_f64le,pcm_f64be,pcm_alaw,pcm_mulaw',
].join(',');

function ffmpegArguments(path: string, type: AudioType, maxSeconds: number): string[] {
  return [
    ['-hide_banner', '-nostdin', '-loglevel', 'error'],
    // One thread: the other cores are the recognizer's. No single block of memory beyond a quarter of a gigabyte.
    ['-threads', '1', '-max_alloc', String(2 ** 28)],
    ['-protocol_whitelist', 'file', '-codec_whitelist', CODECS],
    ['-f', DEMUXERS[type], '-vn', '-sn', '-dn', '-i', `file:${path}`],
    ['-map', '0:a:0', '-map_metadata', '-1', '-t', String(Math.ceil(maxSeconds) + 2)],
    // Where the timestamps have a hole (a recorder that was paused, a video whose sound sets in late) silence stands in
    // its place, so that a word's time is the time at which a player says it.
    ['-af', `aresample=${SAMPLE_RATE}:async=1:first_pts=0`, '-ac', '1', '-f', 's16le', 'pipe:1'],
  ].flat();
}

/** The samples (16 bits: so ffmpeg takes care that two channels do not add up to more than 1) in a stream of bytes. */
async function* samplesIn(bytes: Readable): AsyncGenerator<Float32Array> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    // A piece of bytes may end in the middle of a sample.
    const all = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const samples = new Float32Array(all.length >> 1);
    for (let i = 0; i < samples.length; i++) samples[i] = all.readInt16LE(2 * i) / 32_768;
    rest = all.subarray(2 * samples.length);
    if (samples.length > 0) yield samples;
  }
}

/** What ffmpeg complains of names the file's place on this machine: it goes to whoever looks into the cause. */
function refusal(complaint: string): AudioRefused {
  const unknown = /not found|not implemented|not supported|unsupported/i.test(complaint);
  const message = unknown ? 'ffmpeg does not know how its sound is coded.' : 'ffmpeg finds no sound in it.';
  return new AudioRefused(unknown ? 'unsupported' : 'corrupt', message, { cause: new Error(complaint) });
}

async function endOf(
  child: ChildProcessByStdio<null, Readable, Readable>,
): Promise<{ code: number | null; killedBy: NodeJS.Signals | null }> {
  // `error` comes instead of `close` where the program cannot be started at all.
  const [code, killedBy] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, killedBy };
}

function boundedText(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (more: string) => {
    if (text.length < KEPT_COMPLAINTS) text += more.slice(0, KEPT_COMPLAINTS);
  });
  return () => text.trim();
}
