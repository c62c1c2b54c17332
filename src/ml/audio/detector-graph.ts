import { linksOf, type OnnxGraph, type OnnxNode, readOnnxModel, writeOnnxModel } from '../onnx-model.ts';

/**
 * Silero VAD at 16 kHz for consecutive frames in one run: `input` [frames, 576], `state` [2, 1, 128] before the first frame,
 * `output` [frames, 1] and `stateN` after the last. The original computes one frame in a run, and most of its time is spent on
 * cutting the weights of its recurrent layer. Throws if the network does not have the expected form.
 */
export function detectorOfSequences(bytes: Buffer): Uint8Array {
  const model = readOnnxModel(bytes);
  const { graph } = model;
  inlineBranches(graph);
  const { producer } = linksOf(graph);
  const lstm = graph.node.find(({ op_type }) => op_type === 'LSTM');
  const batch = producer(lstm?.input[0]);
  const sigmoid = graph.node.find(({ op_type }) => op_type === 'Sigmoid');
  const columns = inputOf(sigmoid, ['Conv', 'Relu', 'Cast', 'Unsqueeze'], producer);
  if (!lstm || !batch || !sigmoid || !columns) throw new Error('The speech detector does not have the expected form.');

  // Frames were a batch of sequences of one frame.
  batch.input[1] = 'batch_axis';
  const outputs = { op_type: 'Squeeze', input: [lstm.output[0]!, 'batch_axes'], output: ['all_frames'] };
  graph.node.splice(graph.node.indexOf(lstm) + 1, 0, outputs);
  columns.input[0] = 'all_frames';
  graph.initializer.push(axes('batch_axis', [1]), axes('batch_axes', [1, 2]));
  const output = producer('output')!;
  Object.assign(output, { op_type: 'Squeeze', input: [sigmoid.output[0]!, 'batch_axis'] });
  return writeOnnxModel(model);
}

/** Replaces each choice by the nodes of the branch that frames of 16 kHz take. */
function inlineBranches(graph: OnnxGraph): void {
  for (;;) {
    const choice = graph.node.find(({ op_type }) => op_type === 'If');
    if (!choice) return;
    const { producer } = linksOf(graph);
    // Whether the frames are sequences: they are a batch.
    const isNegated = producer(producer(choice.input[0])?.input[0])?.op_type === 'Not';
    const name = isNegated ? 'else_branch' : 'then_branch';
    const branch = choice.attribute?.find((attribute) => attribute.name === name)?.g;
    if (!branch) throw new Error('The speech detector does not have the expected form.');
    const results = branch.output.map((output, i) => identity(output.name, choice.output[i]!));
    graph.node.splice(graph.node.indexOf(choice), 1, ...branch.node, ...results);
    graph.initializer.push(...branch.initializer);
  }
}

const identity = (from: string, to: string): OnnxNode => ({ op_type: 'Identity', input: [from], output: [to] });

/** The node at the end of a chain of first inputs of these types. */
function inputOf(
  node: OnnxNode | undefined,
  types: readonly string[],
  producer: (name: string | undefined) => OnnxNode | undefined,
): OnnxNode | undefined {
  let at = node;
  for (const type of types) {
    at = producer(at?.input[0]);
    if (at?.op_type !== type) return undefined;
  }
  return at;
}

// Of ONNX.
const INT64 = 7;

const axes = (name: string, values: readonly number[]) => ({
  name,
  data_type: INT64,
  dims: [values.length],
  raw_data: new Uint8Array(BigInt64Array.from(values, BigInt).buffer),
});
