import { expect, test } from 'vitest';
import type { OnnxGraph, OnnxNode } from '../../onnx-model.ts';
import { mergeDecoderFrames, mergedFrames, mergeEncoderFrames } from './merge-padding.ts';

test('mergedFrames keeps the frames of the sound and every fourth of the padding', () => {
  const { kept, counts } = mergedFrames(2);
  expect(kept.slice(0, 110)).toEqual(Array.from({ length: 110 }, (_, frame) => frame));
  expect(kept.slice(110, 113)).toEqual([112, 116, 120]);
  expect(counts[109]).toBe(1);
  expect(counts[110]).toBe(4);
});

test('mergedFrames counts each of the 1500 frames once, whatever the length', () => {
  for (const seconds of [0, 0.01, 1.23, 22.6, 29.79, 29.85, 30, 31]) {
    const { kept, counts } = mergedFrames(seconds);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1500);
    expect(kept).toHaveLength(counts.length);
    expect(kept.every((frame, i) => frame < 1500 && (i === 0 || frame > kept[i - 1]!))).toBe(true);
  }
  expect(mergedFrames(30).kept).toHaveLength(1500);
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
  expect(fused.input.map(({ name }) => name)).toEqual(['frames', 'kept_frames', 'frame_scores']);
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
