import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { expect, test } from 'vitest';
import { sampleWindow } from '../../../test/support/speech/sample-recordings.ts';
import { detectorOfSequences } from './detector-graph.ts';

const FRAME = 576;
const STATE_DIMS = [2, 1, 128];

test('the speech detector of sequences computes what the original computes frame by frame', async () => {
  const bytes = await readFile(createRequire(import.meta.url).resolve('@ricky0123/vad-web/dist/silero_vad_v6.onnx'));
  const [original, ofSequences] = await Promise.all([
    InferenceSession.create(bytes),
    InferenceSession.create(detectorOfSequences(bytes)),
  ]);
  const { samples } = sampleWindow('bridge');
  const frames = Math.floor(samples.length / FRAME);
  let slow = new Tensor('float32', new Float32Array(256), STATE_DIMS);
  let fast = slow;
  for (let from = 0; from < frames; from += 7) {
    const count = Math.min(7, frames - from);
    const input = new Tensor('float32', samples.slice(from * FRAME, (from + count) * FRAME), [count, FRAME]);
    const sequence = await ofSequences.run({ input, state: fast });
    fast = sequence['stateN'] as Tensor as typeof fast;
    for (let frame = 0; frame < count; frame++) {
      const one = new Tensor('float32', input.data.slice(frame * FRAME, (frame + 1) * FRAME), [1, FRAME]);
      const sr = new Tensor('int64', BigInt64Array.of(16_000n), []);
      const found = await original.run({ input: one, state: slow, sr });
      slow = found['stateN'] as Tensor as typeof slow;
      expect(sequence['output']!.data[frame]).toBeCloseTo(found['output']!.data[0] as number, 5);
    }
    expect(Math.max(...fast.data.map((value, i) => Math.abs(value - slow.data[i]!)))).toBeLessThan(1e-4);
  }
  await Promise.all([original.release(), ofSequences.release()]);
});

test('a network of another form is refused', () => {
  expect(() => detectorOfSequences(Buffer.alloc(0))).toThrow('The ONNX file has no graph.');
});
