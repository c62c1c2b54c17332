import { on } from 'node:events';
import { startThread } from '../../base/programs.ts';
import type { AudioType } from '../../base/sniff-audio.ts';
import type { Header } from './header.ts';
import { patient } from './patient.ts';
import { AudioRefused } from './refused.ts';
import type { Answer, WasmCodec, WasmOptions } from './wasm-thread.ts';

/**
 * What decoders in WebAssembly make of a file, for machines without ffmpeg: mono, 16 kHz, from the beginning on. They run in
 * a thread of their own that reads no faster than its pieces are taken, and that is ended when the signal aborts, when
 * nobody takes pieces any more, and when it says nothing for a minute while it was waited for.
 */
export async function* decodeWithWasm(
  path: string,
  { type, header, signal }: { type: AudioType; header: Header; signal: AbortSignal },
): AsyncGenerator<Float32Array> {
  signal.throwIfAborted();
  // Room is made for each; hours of uncompressed sound in QuickTime take gigabytes of it.
  if ((header.samples ?? 0) > MOST_SAMPLES) {
    throw new AudioRefused('unsupported', 'A QuickTime file of this length is read only where ffmpeg is installed.');
  }
  const options: WasmOptions = {
    path,
    codec: codecOf(type, header),
    skip: header.skip ?? 0,
    ...(header.index && { index: header.index }),
    chunkBytes: type === 'wav' ? 2 ** 16 : CHUNK_BYTES,
  };
  const thread = startThread('./wasm-thread', import.meta.url, { workerData: options });
  const ended = new AbortController();
  const answers = on(thread, 'message', { signal: ended.signal });
  thread.once('error', (error) => ended.abort(error)).once('exit', () => ended.abort());
  const stop = () => void thread.terminate();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const samples of patient(taken(), STALL_MS)) yield samples;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AudioRefused) throw error;
    throw new AudioRefused('corrupt', 'The decoder gave up.', { cause: error });
  } finally {
    signal.removeEventListener('abort', stop);
    await thread.terminate();
  }

  async function* taken(): AsyncGenerator<Float32Array> {
    for (;;) {
      thread.postMessage('more');
      const { value } = (await answers.next()) as { value: [Answer] };
      const [answer] = value;
      if ('end' in answer) return;
      if ('problem' in answer) throw new AudioRefused(answer.problem, answer.message);
      yield answer.samples;
    }
  }
}

const MOST_SAMPLES = 2 ** 24;
const STALL_MS = 60_000;
// A few bytes of FLAC or Opus can stand for seconds of silence: what a decoder is shown at once bounds what it can make.
const CHUNK_BYTES = 4096;

function codecOf(type: AudioType, { codec }: Header): WasmCodec {
  switch (type) {
    case 'ogg':
      if (codec === 'speex') throw new AudioRefused('unsupported', 'Speex is read only where ffmpeg is installed.');
      return codec === 'opus' || codec === 'flac' ? codec : 'oga';
    case 'mp4':
      return 'm4a';
    case 'wav':
    case 'mp3':
    case 'm4a':
    case 'aac':
    case 'opus':
    case 'flac':
    case 'webm':
    case 'amr':
      return type;
  }
}
