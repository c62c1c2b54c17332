import { parentPort, workerData } from 'node:worker_threads';
import { decodeChunked } from 'audio-decode';
import { type FileLayout, inReadingOrder } from './reading-order.ts';
import { type AudioProblem, AudioRefused } from './refused.ts';
import { createResampler, type Resampler } from './resampler.ts';
import { SAMPLE_RATE } from './sound.ts';
import { checkSound } from './sound-check.ts';

/** What the thread is started with. */
export interface WasmOptions extends FileLayout {
  readonly codec: WasmCodec;
}
export type WasmCodec = Parameters<typeof decodeChunked>[1];

/** What it answers each time it is asked for more: mono samples at 16 kHz, or that there are none left, or why. */
export type Answer =
  | { readonly samples: Float32Array }
  | { readonly end: true }
  | { readonly problem: AudioProblem; readonly message: string };

// Sound needs a few megabytes; a file that wants more of a decoder gets none, which its decoder calls an error.
const MAX_MEMORY_BYTES = 2 ** 28;
const PAGE_BYTES = 2 ** 16;
const { grow } = WebAssembly.Memory.prototype;
WebAssembly.Memory.prototype.grow = function (pages) {
  if (this.buffer.byteLength + pages * PAGE_BYTES > MAX_MEMORY_BYTES) throw new RangeError('The file needs too much.');
  return grow.call(this, pages);
};
// The decoders print what they think of a broken file.
console.log = console.warn = console.error = () => {};

const { codec, ...file } = workerData as WasmOptions;
const decoded = resampled(decodeChunked(inReadingOrder(file), codec));
parentPort!.on('message', () => void answer());

async function answer(): Promise<void> {
  const said = await next();
  parentPort!.postMessage(said, 'samples' in said ? [said.samples.buffer as ArrayBuffer] : []);
}

async function next(): Promise<Answer> {
  try {
    const { done, value } = await decoded.next();
    return done ? { end: true } : { samples: value };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof AudioRefused) return { problem: error.problem, message };
    return { problem: /unsupported|no decoder/i.test(message) ? 'unsupported' : 'corrupt', message };
  }
}

/** Pieces of at least a tenth of a second, so that not every handful of samples is a message. */
async function* resampled(
  pieces: AsyncIterable<{ channelData: Float32Array[]; sampleRate: number }>,
): AsyncGenerator<Float32Array> {
  let now: { rate: number; resampler: Resampler } | undefined;
  let ready: Float32Array[] = [];
  const readySamples = () => ready.reduce((sum, { length }) => sum + length, 0);
  const hand = () => {
    const joined = new Float32Array(readySamples());
    let at = 0;
    for (const piece of ready) {
      joined.set(piece, at);
      at += piece.length;
    }
    ready = [];
    return joined;
  };
  for await (const { channelData, sampleRate } of pieces) {
    if (channelData.length === 0) continue;
    if (now?.rate !== sampleRate) {
      checkSound({ sampleRate, channels: channelData.length });
      if (now) ready.push(now.resampler.end());
      now = { rate: sampleRate, resampler: createResampler(sampleRate) };
    }
    ready.push(now.resampler.push(mono(channelData)));
    if (readySamples() >= SAMPLE_RATE / 10) yield hand();
  }
  if (now) ready.push(now.resampler.end());
  if (readySamples() > 0) yield hand();
}

/** The mean of left and right, and of the centre where there are more: people speak in front. */
function mono(channels: readonly Float32Array[]): Float32Array {
  const [first, ...others] = channels.slice(0, 3);
  if (others.length === 0) return first!;
  const mean = new Float32Array(first!.length);
  for (let i = 0; i < mean.length; i++) {
    mean[i] = others.reduce((sum, channel) => sum + channel[i]!, first![i]!) / (others.length + 1);
  }
  return mean;
}
