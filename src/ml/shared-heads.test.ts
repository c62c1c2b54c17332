import { expect, test } from 'vitest';
import type { Head } from './classifier.ts';
import { ADDED, applyHeads, applyReadout, shareHead } from './shared-heads.ts';

const head = (weights: number[][], bias = weights.map(() => 0)): Head => ({
  labels: weights.map((_, k) => `class ${k}`),
  weights: Float32Array.from(weights.flat()),
  bias: Float32Array.from(bias),
  temperature: 1,
});

// Two channels over 2 × 2 cells; the features are [something else, mean of channel 0, mean of channel 1].
const map = { type: 'float32', dims: [1, 2, 2, 2], data: Float32Array.from([1, 0, 0, 3, /* */ 0, 2, 0, 1]) } as const;
const features = { type: 'float32', dims: [1, 3], data: Float32Array.from([5, 1, 0.75]) } as const;
const mapsOf = (weights: number[][], temperature = 1e6) => {
  const shared = shareHead({ ...head(weights), temperature }, 2);
  const { dims, data } = applyHeads({ head: shared }, { features, map })['head.maps']!;
  expect(dims).toEqual([weights.length, 2, 2]);
  return weights.map((_, k) => [...data.subarray(k * 4, k * 4 + 4)]);
};

test('applyHeads returns logits for every head and maps for heads with channels', () => {
  const first = head([
    [1, 2, 4],
    [0, 0, 0],
  ]);
  const seen = applyHeads(
    { first: shareHead(first), second: shareHead(head([[0, 0, 1]], [10]), 2) },
    { features, map },
  );
  expect(Object.keys(seen)).toEqual(['first', 'second', 'second.maps']);
  expect([...seen['first']!.data]).toEqual([5 + 2 + 3, 0]);
  expect([...seen['second']!.data]).toEqual([10.75]);
});

test('applyReadout returns the outputs of another readout with a prefix, and nothing of one that fails', () => {
  const heads = { first: shareHead(head([[1, 2, 4]])) };
  const added = { heads: { first: shareHead(head([[0, 0, 1]])) } };
  const seen = applyReadout({ heads, added }, { features, map });
  expect([...seen['first']!.data]).toEqual([10]);
  expect([...seen[`${ADDED}first`]!.data]).toEqual([0.75]);
  const broken = { heads: {}, statistics: {} as never };
  expect(Object.keys(applyReadout({ heads, added: broken }, { features, map }))).toEqual(['first']);
});

test('applyHeads scales the activation map of a class to a maximum of 255', () => {
  const [first, second, both] = mapsOf([
    [9, 1, 0],
    [9, 0, 1],
    [9, 1, -1],
  ]);
  expect(first).toEqual([85, 0, 0, 255]);
  expect(second).toEqual([0, 255, 0, 128]);
  expect(both, 'negative evidence is clipped').toEqual([128, 0, 0, 255]);
});

test('applyHeads returns a zero map for a class without positive evidence', () => {
  const [against, nothing] = mapsOf([
    [0, -1, -1],
    [0, 0, 0],
  ]);
  expect([...against!, ...nothing!]).toEqual(new Array(8).fill(0));
});

test('applyHeads returns a zero map for an improbable class', () => {
  const [likely, ruledOut] = mapsOf(
    [
      [9, 1, 0],
      [0, 0, 1],
    ],
    1,
  );
  expect(likely).toEqual([85, 0, 0, 255]);
  expect(ruledOut).toEqual([0, 0, 0, 0]);
});

test('shareHead puts weights into memory that threads share', () => {
  const { weights } = shareHead(head([[1, 2, 3]]), 2);
  const there = structuredClone({ weights });
  weights[0] = 7;
  expect(there.weights[0]).toBe(7);
});
