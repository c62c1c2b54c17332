import { readFile } from 'node:fs/promises';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { SAMPLE_RATE } from '../../audio/audio-constants.ts';
import { releaseBuffers } from '../../release-buffers.ts';
import { fasterDecoder, fasterEncoder } from './faster-graphs.ts';
import { logMel, WINDOW_SECONDS } from './log-mel.ts';
import { attentionToAll, type MergedFrames, mergedFrames } from './merge-silence.ts';
import { detectQuietFrames } from './silence.ts';

/** Immutable decoder state after some tokens; until `release`, any state can be continued several times. */
export interface DecoderState {
  readonly logits: Float32Array;
  /** Attention of the last token over the audio: per head of `alignmentHeads`, values of 20 ms, at least as long as the audio. */
  readonly attention: readonly Float32Array[];
  /** The state after one more token, or after the first `length` tokens and `token`. */
  step(token: number, length?: number): Promise<DecoderState>;
}

/** Opens the two files with `threads` threads. `bins`, `encoderHeads` and `alignmentHeads` (layer and head) are the model's. */
export async function openNetwork(
  files: { readonly encoder: string; readonly decoder: string },
  { threads, bins, encoderHeads, decoderHeads, alignmentHeads }: NetworkOptions,
) {
  const options: InferenceSession.SessionOptions = {
    executionProviders: ['cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // Spinning threads cost as much CPU as working ones.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  };
  const layers = [...new Set(alignmentHeads.map(([layer]) => layer))];
  const signed = await multipliesSignedFaster();
  const openGraph = async (graph: Uint8Array<ArrayBuffer>, own: InferenceSession.SessionOptions = options) => {
    const session = await InferenceSession.create(graph, own);
    await releaseBuffers(graph);
    return session;
  };
  // An arena would keep the encoder's largest memory.
  const withoutArena = { ...options, enableCpuMemArena: false };
  const encoderFile = await readFile(files.encoder);
  const encoderGraph = fasterEncoder(encoderFile, { heads: encoderHeads, signed });
  await releaseBuffers(encoderFile);
  const encoder = await openGraph(encoderGraph, withoutArena);
  const decoderFile = await readFile(files.decoder);
  const graphs = fasterDecoder(decoderFile, { heads: decoderHeads, alignmentLayers: layers, signed });
  await releaseBuffers(decoderFile);
  const keys = await openGraph(graphs.keys, withoutArena);
  const decoder = await openGraph(graphs.step);
  const takes = (session: InferenceSession, input: string) => session.inputNames.includes(input);
  const mergesFrames = takes(encoder, 'kept_frames') && takes(decoder, 'frame_scores');
  const [, , length] = shapeOf(encoder, 'input_features');
  const fixedColumns = typeof length === 'number' && length > 0 ? length : undefined;
  const framesOf = (samples: Float32Array): MergedFrames =>
    mergesFrames ? mergedFrames(samples.length / SAMPLE_RATE, detectQuietFrames(samples)) : ALL_FRAMES;
  const pasts = decoder.inputNames.filter((name) => name.startsWith('past_key_values.'));
  const [, heads, , width] = shapeOf(decoder, pasts[0] ?? 'past_key_values.0.decoder.key');
  if (typeof heads !== 'number' || typeof width !== 'number') throw new Error('The decoder has no fixed key shape.');

  const attentions = layers.map((layer) => `cross_attentions.${layer}`);
  const presentOf = (name: string) => name.replace('past_key_values', 'present');
  const ownPasts = pasts.filter((name) => !name.includes('.encoder.'));
  const encoderPasts = pasts.filter((name) => name.includes('.encoder.'));
  const outputNames = ['logits', ...attentions, ...ownPasts.map(presentOf)];

  const attentionOf = (outputs: Outputs, merged: MergedFrames) =>
    alignmentHeads.map(([layer, head]) => {
      const { data, dims } = outputs[`cross_attentions.${layer}`]!;
      const [length, frames] = [dims[2]!, dims[3]!];
      const from = ((head + 1) * length - 1) * frames;
      return attentionToAll((data as Float32Array).subarray(from, from + frames), merged);
    });
  const pastOf = (outputs: Outputs, names: readonly string[], length?: number) =>
    Object.fromEntries(names.map((name) => [name, firstTokens(outputs[presentOf(name)]!, length)]));

  /**
   * The state after the token `first`, from at most 30 s of mono 16 kHz `samples`, padded to 30 s. After `release`, none of the
   * window's states may be continued.
   */
  async function start(
    samples: Float32Array,
    first: number,
  ): Promise<{ readonly state: DecoderState; release(): Promise<void> }> {
    const merged = framesOf(samples);
    const { kept, counts, convolved, sources } = merged;
    const columns = fixedColumns ?? 2 * convolved;
    const frameScores = new Tensor('float32', Float32Array.from(counts, Math.log), [counts.length]);
    const frames = {
      kept_frames: integers(kept, [kept.length]),
      convolved_frames: integers(sources, [sources.length]),
      frame_scores: frameScores,
    };
    const spectrogram = new Tensor('float32', logMel(samples, bins, columns), [1, bins, columns]);
    const input = { input_features: spectrogram, ...(takes(encoder, 'kept_frames') && frames) };
    const encoded = (await encoder.run(input))['last_hidden_state']!;
    const constant = {
      ...pastOf(await keys.run({ encoder_hidden_states: encoded }), encoderPasts),
      ...(takes(decoder, 'frame_scores') && { frame_scores: frameScores }),
    };
    const step = async (past: Outputs, token: number): Promise<DecoderState> => {
      const outputs = await decoder.run({ ...constant, ...past, input_ids: integers([token], [1, 1]) }, outputNames);
      return {
        logits: outputs['logits']!.data as Float32Array,
        attention: attentionOf(outputs, merged),
        step: (next, length) => step(pastOf(outputs, ownPasts, length), next),
      };
    };
    const noPast = new Tensor('float32', new Float32Array(0), [1, heads as number, 0, width as number]);
    return {
      state: await step(Object.fromEntries(ownPasts.map((name) => [name, noPast])), first),
      // 40 MB of whisper-base, which would wait for the garbage collector.
      release: () => releaseBuffers(...[encoded, ...Object.values(constant)].map(floatsOf)),
    };
  }

  return {
    start,
    async close(): Promise<void> {
      await Promise.all([encoder.release(), keys.release(), decoder.release()]);
    },
  };
}

interface NetworkOptions {
  readonly threads: number;
  /** Rows of the spectrogram. */
  readonly bins: number;
  readonly encoderHeads: number;
  readonly decoderHeads: number;
  readonly alignmentHeads: readonly (readonly [number, number])[];
}

const ALL_FRAMES = mergedFrames(WINDOW_SECONDS, () => false);

type Outputs = InferenceSession.OnnxValueMapType;

function shapeOf(session: InferenceSession, input: string): readonly (number | string)[] {
  const found = session.inputMetadata.find(({ name }) => name === input);
  if (!found?.isTensor) throw new Error(`The network has no input ${input}.`);
  return found.shape;
}

/** The keys or values [1, heads, tokens, width] of the first `length` tokens. */
function firstTokens(tensor: Outputs[string], length = tensor.dims[2]!): Outputs[string] {
  const [, heads, all, width] = tensor.dims as [number, number, number, number];
  if (length === all) return tensor;
  const data = new Float32Array(heads * length * width);
  for (let head = 0; head < heads; head++) {
    const from = head * all * width;
    data.set((tensor.data as Float32Array).subarray(from, from + length * width), head * length * width);
  }
  return new Tensor('float32', data, [1, heads, length, width]);
}

const floatsOf = ({ data }: Outputs[string]) => data as Float32Array<ArrayBuffer>;

const integers = (values: readonly number[], dims: readonly number[]) =>
  new Tensor('int64', BigInt64Array.from(values, BigInt), dims);

/**
 * Whether the processor has instructions for products of 8-bit integers. Without them unsigned weights are exact and
 * signed ones can overflow.
 */
async function multipliesSignedFaster(): Promise<boolean> {
  return /\b(avx512_vnni|avx_vnni|amx_int8)\b/.test(await readFile('/proc/cpuinfo', 'utf8').catch(() => ''));
}
