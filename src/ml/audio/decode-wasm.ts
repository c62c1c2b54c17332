import { on } from 'node:events';
import type { AudioType } from '../../base/sniff-audio.ts';
import { startThread } from '../../base/worker-entry.ts';
import { AudioError } from './audio-error.ts';
import type { Header } from './header.ts';
import { withStallTimeout } from './stall-timeout.ts';
import type { DecoderResponse, WasmCodec, WasmOptions } from './wasm-thread.ts';

/**
 * Decodes a file to mono 16 kHz samples with WebAssembly codecs, for machines without ffmpeg. They run in a thread that
 * waits while no chunk is read and ends when the signal aborts, when the consumer stops, and after a minute without
 * output.
 */
export async function* decodeWithWasm(
  path: string,
  { type, header, signal }: { type: AudioType; header: Header; signal: AbortSignal },
): AsyncGenerator<Float32Array> {
  signal.throwIfAborted();
  // The decoder allocates memory per sample: hours of uncompressed QuickTime audio take gigabytes.
  if ((header.samples ?? 0) > MAX_SAMPLES) {
    throw new AudioError('unsupported', 'Reading a QuickTime file of this length requires ffmpeg.');
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
  const messages = on(thread, 'message', { signal: ended.signal });
  thread.once('error', (error) => ended.abort(error)).once('exit', () => ended.abort());
  const stop = () => void thread.terminate();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const samples of withStallTimeout(requestChunks(), STALL_MS)) yield samples;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AudioError) throw error;
    throw new AudioError('corrupt', 'The decoder failed.', { cause: error });
  } finally {
    signal.removeEventListener('abort', stop);
    await thread.terminate();
  }

  async function* requestChunks(): AsyncGenerator<Float32Array> {
    for (;;) {
      thread.postMessage('more');
      const { value } = (await messages.next()) as { value: [DecoderResponse] };
      const [answer] = value;
      if ('end' in answer) return;
      if ('problem' in answer) throw new AudioError(answer.problem, answer.message);
      yield answer.samples;
    }
  }
}

const MAX_SAMPLES = 2 ** 24;
const STALL_MS = 60_000;
// Bounds the output per chunk: a few bytes of FLAC or Opus can decode to seconds of silence.
const CHUNK_BYTES = 4096;

function codecOf(type: AudioType, { codec }: Header): WasmCodec {
  if (type === 'mp4') return 'm4a';
  if (type !== 'ogg') return type;
  if (codec === 'speex') throw new AudioError('unsupported', 'Reading Speex requires ffmpeg.');
  return codec === 'opus' || codec === 'flac' ? codec : 'oga';
}
