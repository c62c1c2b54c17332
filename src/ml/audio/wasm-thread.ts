import { parentPort, workerData } from 'node:worker_threads';
import { decodeChunked } from 'audio-decode';
import { limitWasmMemory } from '../wasm-memory.ts';
import { SAMPLE_RATE } from './audio-constants.ts';
import { AudioError, type AudioProblem } from './audio-error.ts';
import { validateAudioFormat } from './header.ts';
import { type FileLayout, readMoovFirst } from './moov-first.ts';
import { createResampler, type Resampler } from './resampler.ts';
import { createSampleBuffer } from './sample-buffer.ts';

export interface WasmOptions extends FileLayout {
  readonly codec: WasmCodec;
}
export type WasmCodec = Parameters<typeof decodeChunked>[1];

export type DecoderResponse =
  | { readonly samples: Float32Array }
  | { readonly end: true }
  | { readonly problem: AudioProblem; readonly message: string };

// Decoding needs a few megabytes.
limitWasmMemory(2 ** 28);
// The decoders print messages about broken files.
console.log = console.warn = console.error = () => {};

const { codec, ...layout } = workerData as WasmOptions;
const decoded = resampled(decodeChunked(readMoovFirst(layout), codec));
parentPort!.on('message', () => void respond());

async function respond(): Promise<void> {
  const response = await nextResponse();
  parentPort!.postMessage(response, 'samples' in response ? [response.samples.buffer as ArrayBuffer] : []);
}

async function nextResponse(): Promise<DecoderResponse> {
  try {
    const { done, value } = await decoded.next();
    return done ? { end: true } : { samples: value };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof AudioError) return { problem: error.problem, message };
    return { problem: /unsupported|no decoder/i.test(message) ? 'unsupported' : 'corrupt', message };
  }
}

async function* resampled(
  pieces: AsyncIterable<{ channelData: Float32Array[]; sampleRate: number }>,
): AsyncGenerator<Float32Array> {
  let current: { rate: number; resampler: Resampler } | undefined;
  const ready = createSampleBuffer();
  const flush = () => {
    const samples = ready.copy(0, ready.length());
    ready.discard(samples.length);
    return samples;
  };
  for await (const { channelData, sampleRate } of pieces) {
    if (channelData.length === 0) continue;
    if (current?.rate !== sampleRate) {
      validateAudioFormat({ sampleRate, channels: channelData.length });
      if (current) ready.append(current.resampler.end());
      current = { rate: sampleRate, resampler: createResampler(sampleRate) };
    }
    ready.append(current.resampler.push(mono(channelData)));
    if (ready.length() >= SAMPLE_RATE / 10) yield flush();
  }
  if (current) ready.append(current.resampler.end());
  if (ready.length() > 0) yield flush();
}

/** Mixes the front channels (left, right, centre), where speech is. */
function mono(channels: readonly Float32Array[]): Float32Array {
  const [first, ...others] = channels.slice(0, 3);
  if (others.length === 0) return first!;
  const mean = new Float32Array(first!.length);
  for (let i = 0; i < mean.length; i++) {
    mean[i] = others.reduce((sum, channel) => sum + channel[i]!, first![i]!) / (others.length + 1);
  }
  return mean;
}
