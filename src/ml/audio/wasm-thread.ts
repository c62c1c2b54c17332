import { parentPort, workerData } from 'node:worker_threads';
import { decodeChunked } from 'audio-decode';
import { limitWasmMemory } from '../wasm-memory.ts';
import { MAX_SAMPLE, SAMPLE_RATE } from './audio-constants.ts';
import { AudioError, type AudioProblem } from './audio-error.ts';
import { validateAudioFormat } from './header.ts';
import { createMixer, type Mixer } from './mixer.ts';
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
  let current: { rate: number; mixer: Mixer; resampler: Resampler } | undefined;
  const ready = createSampleBuffer();
  const end = () => {
    if (!current) return;
    ready.append(current.resampler.push(current.mixer.end()));
    ready.append(current.resampler.end());
  };
  const flush = () => {
    const samples = ready.copy(0, ready.length()).map(clip);
    ready.discard(samples.length);
    return samples;
  };
  for await (const { channelData, sampleRate } of pieces) {
    if (channelData.length === 0) continue;
    if (current?.rate !== sampleRate) {
      validateAudioFormat({ sampleRate, channels: channelData.length });
      end();
      const mixer = createMixer(Math.ceil(sampleRate / 2));
      current = { rate: sampleRate, mixer, resampler: createResampler(sampleRate) };
    }
    for (const channel of channelData) removeInvalid(channel);
    const [mean, difference] = mix(channelData);
    ready.append(current.resampler.push(current.mixer.push(mean, difference)));
    if (ready.length() >= SAMPLE_RATE / 10) yield flush();
  }
  end();
  if (ready.length() > 0) yield flush();
}

/** The mean of the front channels (left, right, centre), where speech is, and half the difference of left and right. */
function mix(channels: readonly Float32Array[]): [mean: Float32Array, difference: Float32Array] {
  const [left, ...others] = channels.slice(0, 3);
  const [right] = others;
  const difference = new Float32Array(left!.length);
  if (right === undefined) return [left!, difference];
  const mean = new Float32Array(left!.length);
  for (let i = 0; i < mean.length; i++) {
    mean[i] = others.reduce((sum, channel) => sum + channel[i]!, left![i]!) / (others.length + 1);
    difference[i] = (left![i]! - right[i]!) / 2;
  }
  return [mean, difference];
}

/** Also NaN. */
function removeInvalid(samples: Float32Array): void {
  for (let i = 0; i < samples.length; i++) if (!(Math.abs(samples[i]!) < MAX_SAMPLE)) samples[i] = 0;
}

const clip = (sample: number) => Math.max(-1, Math.min(1, sample));
