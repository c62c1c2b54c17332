import { expect, test } from 'vitest';
import type { OnnxGraph, OnnxNode } from '../../onnx-model.ts';
import { attentionToAll, mergeDecoderFrames, mergedFrames, mergeEncoderFrames } from './merge-silence.ts';

const allLoud = () => false;
const allQuiet = () => true;

test('mergedFrames keeps the frames of the sound and every fourth of the padding', () => {
  const { kept, counts, convolved, sources } = mergedFrames(2, allLoud);
  expect(kept.slice(0, 110)).toEqual(Array.from({ length: 110 }, (_, frame) => frame));
  expect(kept.slice(110, 113)).toEqual([112, 116, 120]);
  expect(counts[109]).toBe(1);
  expect(counts[110]).toBe(4);
  // All of the padding is equal to its first frame.
  expect(sources.slice(108, 113)).toEqual([108, 109, 110, 110, 110]);
  expect(convolved).toBe(112);
});

test('mergedFrames keeps every fourth frame inside a pause, and 0.2 s at its ends', () => {
  const pause = { from: 50, to: 100 };
  const { kept } = mergedFrames(5, (frame) => frame >= pause.from && frame < pause.to);
  const merged = [62, 66, 70, 74, 78, 82, 86, 89];
  expect(kept.filter((frame) => frame >= 60 && frame < 90)).toEqual(merged);
  expect(kept.filter((frame) => frame < 60 || (frame >= 90 && frame < 260))).toHaveLength(230);
  // A short pause stays.
  expect(mergedFrames(5, (frame) => frame >= 50 && frame < 70).kept.slice(0, 260)).toEqual(
    Array.from({ length: 260 }, (_, frame) => frame),
  );
});

test('mergedFrames counts each of the 1500 frames once, whatever the length', () => {
  for (const isQuiet of [allLoud, allQuiet, (frame: number) => frame % 100 < 63]) {
    for (const seconds of [0, 0.01, 1.23, 22.6, 29.7, 29.79, 29.85, 30, 31]) {
      const { kept, counts, convolved, sources } = mergedFrames(seconds, isQuiet);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1500);
      expect(kept).toHaveLength(counts.length);
      expect(kept.every((frame, i) => frame < 1500 && (i === 0 || frame > kept[i - 1]!))).toBe(true);
      expect(sources).toHaveLength(kept.length);
      expect(sources.every((frame, i) => frame < convolved && frame <= kept[i]!)).toBe(true);
    }
  }
  expect(mergedFrames(30, allLoud).kept).toHaveLength(1500);
});

test('attentionToAll divides the attention to a merged frame among its frames', () => {
  const merged = mergedFrames(2, allLoud);
  const all = attentionToAll(
    Float32Array.from(merged.counts, (count, i) => count * i),
    merged,
  );
  expect(all).toEqual(Float32Array.from(merged.counts.flatMap((count, i) => Array.from({ length: count }, () => i))));
});

const node = (op_type: string, input: string[], output: string, name = ''): OnnxNode => ({
  ...{ op_type, name, input, output: [output] },
});
const encoder = (...nodes: OnnxNode[]): OnnxGraph => ({
  node: [node('Add', ['frames', 'positions'], 'positioned'), ...nodes],
  initializer: [{ name: 'positions', data_type: 1, dims: [1500, 512] }],
  input: [{ name: 'frames' }],
  output: [{ name: 'last_hidden_state' }],
});
const attention = (input: string[], name: string) => node('MultiHeadAttention', input, 'last_hidden_state', name);

test('mergeEncoderFrames changes only graphs whose attention was fused here', () => {
  const qkv = ['positioned', 'positioned', 'positioned'];
  const fused = encoder(attention(qkv, 'layer_fused'));
  mergeEncoderFrames(fused, 8);
  expect(fused.input.map(({ name }) => name)).toEqual(['frames', 'kept_frames', 'convolved_frames', 'frame_scores']);
  for (const graph of [
    encoder(),
    encoder(attention([...qkv, 'bias'], 'layer_fused')),
    encoder(attention(qkv, 'of another export')),
    encoder(attention(qkv, 'layer_fused'), node('Softmax', ['positioned'], 'probabilities')),
  ]) {
    const before = structuredClone(graph);
    mergeEncoderFrames(graph, 8);
    expect(graph).toEqual(before);
  }
});

test('mergeDecoderFrames changes only graphs of which it finds every attention to the encoder', () => {
  const [key, other] = ['past_key_values.0.encoder.key', 'past_key_values.1.encoder.key'];
  const decoder = (...nodes: OnnxNode[]): OnnxGraph => ({
    ...{ node: nodes, initializer: [], output: [{ name: 'logits' }] },
    input: [key, other].map((name) => ({ name })),
  });
  const fused = node('MultiHeadAttention', ['query', key, 'value'], 'mixed');
  const plain = [node('MatMul', ['query', other], 'scores'), node('Softmax', ['scores'], 'probabilities')];
  const graph = decoder(fused, ...plain);
  mergeDecoderFrames(graph);
  expect(graph.node.find(({ op_type }) => op_type === 'MultiHeadAttention')!.input[5]).toBe('frame_score');
  expect(graph.node.find(({ op_type }) => op_type === 'Add')!.input).toEqual(['scores', 'frame_scores']);
  const partial = decoder(fused);
  const before = structuredClone(partial);
  mergeDecoderFrames(partial);
  expect(partial).toEqual(before);
});
