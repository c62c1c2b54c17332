import {
  isLayout,
  linksOf,
  type OnnxGraph,
  type OnnxModel,
  type OnnxNode,
  type OnnxTensor,
  readOnnxModel,
  withoutUnused,
  writeOnnxModel,
} from '../../onnx-model.ts';
import { FUSED, mergeDecoderFrames, mergeEncoderFrames } from './merge-silence.ts';

/**
 * The encoder as a model with one output, `last_hidden_state`, and fused attention: its scores of [heads, 1500, 1500] are
 * not stored. Nodes that do not have the expected form stay as they are.
 */
export function fasterEncoder(
  bytes: Buffer,
  { heads, signed }: { heads: number; signed: boolean },
): Uint8Array<ArrayBuffer> {
  const model = readOnnxModel(bytes);
  model.graph.output = model.graph.output.filter(({ name }) => name === 'last_hidden_state');
  fuseAttention(model, heads);
  mergeEncoderFrames(model.graph, heads);
  if (signed) useSignedWeights(model.graph);
  return writeOnnxModel(model);
}

/**
 * The branches of a merged decoder as two models without the other branch: `keys` computes the keys and values of the
 * encoder's output, `step` the next token. The projection to the vocabulary uses the 8-bit weights; the merged decoder
 * converts them to floating point for each token, which takes two thirds of its time.
 */
export function fasterDecoder(
  bytes: Buffer,
  { heads, alignmentLayers, signed }: { heads: number; alignmentLayers: readonly number[]; signed: boolean },
): { readonly keys: Uint8Array<ArrayBuffer>; readonly step: Uint8Array<ArrayBuffer> } {
  const branch = (name: string, isWanted: (output: string) => boolean) => {
    const model = readOnnxModel(bytes);
    useBranch(model.graph, name);
    if (name === 'else_branch') takeBatchFrom(model.graph, 'encoder_hidden_states');
    model.graph.output = model.graph.output.filter((output) => isWanted(output.name));
    quantizeLogits(model.graph);
    fuseAttention(model, heads);
    if (name === 'then_branch') mergeDecoderFrames(model.graph);
    if (signed) useSignedWeights(model.graph);
    return writeOnnxModel(model);
  };
  const attentions = new Set(alignmentLayers.map((layer) => `cross_attentions.${layer}`));
  return {
    keys: branch('else_branch', (name) => /^present\.\d+\.encoder\./.test(name)),
    step: branch(
      'then_branch',
      (name) => name === 'logits' || /^present\.\d+\.decoder\./.test(name) || attentions.has(name),
    ),
  };
}

/** The keys need only the length of the batch: without this, the decoder would run for it. */
function takeBatchFrom(graph: OnnxGraph, input: string): void {
  for (const node of graph.node) if (node.op_type === 'Shape') node.input = [input];
}

/** Replaces the node that chooses between two branches by the nodes of one. */
function useBranch(graph: OnnxGraph, name: string): void {
  const choice = graph.node.find(({ op_type }) => op_type === 'If');
  const branch = choice?.attribute?.find((attribute) => attribute.name === name)?.g;
  if (!branch) throw new Error(`The decoder has no ${name}.`);
  graph.node = [...graph.node.filter((node) => node !== choice), ...branch.node];
  graph.initializer = [...graph.initializer, ...branch.initializer];
}

/**
 * Multiplies by the 8-bit weights of `logits` instead of converting them. The inputs are rounded in blocks of 128: as one
 * block they would change the probabilities of languages.
 */
function quantizeLogits(graph: OnnxGraph): void {
  const { producer } = linksOf(graph);
  const tensors = new Map(graph.initializer.map((tensor) => [tensor.name, tensor]));
  const product = producer('logits');
  const floats = producer(product?.input[1]);
  const transposed = producer(floats?.input[0]);
  const weights = tensors.get(transposed?.input[0] ?? '');
  const [scale, zero] = [tensors.get(floats?.input[1] ?? ''), tensors.get(floats?.input[2] ?? '')];
  if (product?.op_type !== 'MatMul' || floats?.op_type !== 'DequantizeLinear' || transposed?.op_type !== 'Transpose')
    return;
  if (scale?.dims.some((length) => Number(length) !== 1) || !weights?.raw_data || !scale || !zero) return;
  const [rows, columns] = weights.dims.map(Number) as [number, number];
  const blocks = columns / BLOCK;
  if (weights.data_type !== UINT8 || !Number.isInteger(blocks)) return;
  const [scaleValue, zeroValue] = [floatOf(scale), byteOf(zero)];
  const scales = new Float32Array(rows * blocks).fill(scaleValue);
  graph.initializer = [
    ...graph.initializer,
    { ...weights, name: 'logits_weights', dims: [rows, blocks, BLOCK] },
    { name: 'logits_scales', data_type: FLOAT, dims: [rows * blocks], raw_data: new Uint8Array(scales.buffer) },
    {
      name: 'logits_zeros',
      data_type: UINT8,
      dims: [rows * blocks],
      raw_data: new Uint8Array(rows * blocks).fill(zeroValue),
    },
  ];
  const int = (name: string, i: number) => ({ name, type: INT, i });
  graph.node[graph.node.indexOf(product)] = {
    ...{ op_type: 'MatMulNBits', domain: 'com.microsoft', name: 'logits_product' },
    ...{ input: [product.input[0]!, 'logits_weights', 'logits_scales', 'logits_zeros'], output: ['logits'] },
    attribute: [int('K', columns), int('N', rows), int('bits', 8), int('block_size', BLOCK), int('accuracy_level', 4)],
  };
}

const BLOCK = 128;
const floatOf = ({ raw_data, float_data }: OnnxTensor): number =>
  raw_data?.length ? new DataView(raw_data.buffer, raw_data.byteOffset).getFloat32(0, true) : float_data![0]!;
const byteOf = ({ raw_data, int32_data }: OnnxTensor): number => (raw_data?.length ? raw_data[0]! : int32_data![0]!);

/**
 * Replaces softmax(q kᵀ) v by one node of ONNX Runtime, unless its probabilities are outputs. Queries are [batch, length,
 * heads × width]; keys and values too, or [batch, heads, length, width].
 */
function fuseAttention(model: OnnxModel, heads: number): void {
  const { graph } = model;
  const { producer, consumers } = linksOf(graph);
  const origin = (name: string | undefined): string | undefined => {
    let at = name;
    for (let node = producer(at); node && isLayout(node); node = producer(at)) at = node.input[0];
    return at;
  };
  const next = (name: string, accepts: (node: OnnxNode) => boolean): OnnxNode | undefined => {
    const users = consumers(name);
    const found = users.find(accepts);
    if (found) return found;
    const layout = users.find(isLayout);
    return layout && next(layout.output[0]!, accepts);
  };
  const isOutput = (name: string): boolean =>
    graph.output.some((output) => output.name === name) ||
    consumers(name).some((node) => isLayout(node) && isOutput(node.output[0]!));
  // Computed after the heads are split: not the expected shape.
  const isSplit = (name: string) =>
    producer(name)?.input.some((input) => producer(input)?.op_type === 'Transpose') ?? false;
  for (const softmax of graph.node.filter(({ op_type }) => op_type === 'Softmax')) {
    if (isOutput(softmax.output[0]!)) continue;
    const scores = producer(origin(softmax.input[0]));
    const mixed = next(softmax.output[0]!, ({ op_type }) => op_type === 'MatMul');
    if (scores?.op_type !== 'MatMul' || !mixed) continue;
    const [query, key, value] = [origin(scores.input[0]), origin(scores.input[1]), origin(mixed.input[1])];
    const user = next(mixed.output[0]!, (node) => !isLayout(node) && node.op_type !== 'Shape');
    const result = user?.input.find((name) => origin(name) === mixed.output[0]);
    const last = producer(result);
    if (!query || !key || !value || !result || !last || isSplit(query)) continue;
    graph.node[graph.node.indexOf(last)] = {
      ...{ op_type: 'MultiHeadAttention', domain: 'com.microsoft', name: `${softmax.name}${FUSED}` },
      ...{ input: [query, key, value], output: [result] },
      attribute: [
        { name: 'num_heads', type: INT, i: heads },
        // The queries are scaled already.
        { name: 'scale', type: FLOAT, f: 1 },
      ],
    };
  }
  if (model.opset_import.every(({ domain }) => domain !== 'com.microsoft')) {
    model.opset_import.push({ domain: 'com.microsoft', version: 1 });
  }
  model.graph = withoutUnused(graph);
}

/**
 * Converts unsigned weights and their zero points to signed ones: the products are equal, and processors multiply
 * unsigned by signed values faster.
 */
function useSignedWeights(graph: OnnxGraph): void {
  const { producer } = linksOf(graph);
  const tensors = new Map(graph.initializer.map((tensor) => [tensor.name, tensor]));
  const tensorOf = (name: string | undefined): OnnxTensor | undefined => {
    const node = producer(name);
    return tensors.get((node?.op_type === 'Transpose' ? node.input[0] : name) ?? '');
  };
  for (const { op_type, input } of graph.node) {
    if (op_type !== 'MatMulInteger') continue;
    const [weights, zero] = [tensorOf(input[1]), tensorOf(input[3])];
    if (weights?.data_type !== UINT8 || zero?.data_type !== UINT8) continue;
    for (const tensor of [weights, zero]) {
      const bytes = tensor.raw_data?.length ? tensor.raw_data : Uint8Array.from(tensor.int32_data ?? []);
      tensor.raw_data = flipSigns(bytes);
      tensor.int32_data = [];
      tensor.data_type = INT8;
    }
  }
}

// Of ONNX: types of attributes, and of tensors.
const INT = 2;
const FLOAT = 1;
const UINT8 = 2;
const INT8 = 3;

/** Four bytes at a time. */
function flipSigns(bytes: Uint8Array): Uint8Array {
  const flipped = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  flipped.set(bytes);
  const words = new Uint32Array(flipped.buffer);
  for (let i = 0; i < words.length; i++) words[i]! ^= 0x80808080;
  return flipped.subarray(0, bytes.length);
}
