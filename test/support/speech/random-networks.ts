import protobuf from 'protobufjs';
import { createRandom } from '../../../src/base/random.ts';
import { type OnnxModel, writeOnnxModel } from '../../../src/ml/onnx-model.ts';

/** Networks of random weights with the inputs, outputs and metadata that sherpa-onnx expects, by file name. */
type Files = Readonly<Record<string, Uint8Array | string>>;

const BINS = 80;
const WIDTH = 16;
const LETTERS = ['▁a', 'b', 'c', '▁d', 'e', 'f'];

const nemoTokens = [...LETTERS, '<blk>'];
const zipformerTokens = ['<blk>', ...LETTERS];
const tokensFile = (tokens: readonly string[]) => tokens.map((token, id) => `${token} ${id}\n`).join('');

export const nemoCtc = (): Files => ({
  'tokens.txt': tokensFile(nemoTokens),
  'model.onnx': network({
    inputs: { audio_signal: [FLOAT, 1, BINS, 'T'], length: [INT64, 1] },
    nodes: [
      node('Transpose', ['audio_signal'], 'frames', { perm: [0, 2, 1] }),
      node('MatMul', ['frames', 'weights'], 'scores'),
      node('LogSoftmax', ['scores'], 'logprobs'),
      node('Identity', ['length'], 'lengths'),
    ],
    weights: { weights: [BINS, nemoTokens.length] },
    outputs: { logprobs: [FLOAT, 1, 'T', nemoTokens.length], lengths: [INT64, 1] },
    metadata: { vocab_size: LETTERS.length, subsampling_factor: 1, normalize_type: 'per_feature' },
  }),
});

export const zipformerCtc = (): Files => ({
  'tokens.txt': tokensFile(zipformerTokens),
  'model.onnx': network({
    inputs: { x: [FLOAT, 1, 'T', BINS], x_lens: [INT64, 1] },
    nodes: [
      node('MatMul', ['x', 'weights'], 'scores'),
      node('LogSoftmax', ['scores'], 'log_probs'),
      node('Identity', ['x_lens'], 'log_probs_len'),
    ],
    weights: { weights: [BINS, zipformerTokens.length] },
    outputs: { log_probs: [FLOAT, 1, 'T', zipformerTokens.length], log_probs_len: [INT64, 1] },
    metadata: { model_type: 'zipformer2_ctc' },
  }),
});

export const nemoTransducer = (): Files => ({
  'tokens.txt': tokensFile(nemoTokens),
  'encoder.onnx': network({
    inputs: { audio_signal: [FLOAT, 1, BINS, 'T'], length: [INT64, 1] },
    nodes: [node('MatMul', ['weights', 'audio_signal'], 'outputs'), node('Identity', ['length'], 'encoded_lengths')],
    weights: { weights: [WIDTH, BINS] },
    outputs: { outputs: [FLOAT, 1, WIDTH, 'T'], encoded_lengths: [INT64, 1] },
    metadata: {
      ...{ vocab_size: LETTERS.length, subsampling_factor: 1, normalize_type: 'per_feature' },
      ...{ pred_rnn_layers: 1, pred_hidden: WIDTH, model_type: 'EncDecRNNTBPEModel' },
    },
  }),
  'decoder.onnx': network({
    inputs: {
      ...{ targets: [INT32, 1, 1], target_length: [INT32, 1] },
      ...{ h: [FLOAT, 1, 1, WIDTH], c: [FLOAT, 1, 1, WIDTH] },
    },
    nodes: [
      node('Gather', ['embedding', 'targets'], 'embedded'),
      node('Transpose', ['embedded'], 'outputs', { perm: [0, 2, 1] }),
      node('Identity', ['target_length'], 'lengths'),
      node('Identity', ['h'], 'next_h'),
      node('Identity', ['c'], 'next_c'),
    ],
    weights: { embedding: [nemoTokens.length, WIDTH] },
    outputs: {
      ...{ outputs: [FLOAT, 1, WIDTH, 1], lengths: [INT32, 1] },
      ...{ next_h: [FLOAT, 1, 1, WIDTH], next_c: [FLOAT, 1, 1, WIDTH] },
    },
  }),
  'joiner.onnx': network({
    inputs: { encoder_outputs: [FLOAT, 1, WIDTH, 1], decoder_outputs: [FLOAT, 1, WIDTH, 1] },
    nodes: [
      node('Add', ['encoder_outputs', 'decoder_outputs'], 'sum'),
      node('Transpose', ['sum'], 'last', { perm: [2, 0, 1] }),
      node('MatMul', ['last', 'weights'], 'outputs'),
    ],
    // Broadcast to the four dimensions of NeMo.
    weights: { weights: [1, 1, WIDTH, nemoTokens.length] },
    outputs: { outputs: [FLOAT, 1, 1, 1, nemoTokens.length] },
  }),
});

export const zipformerTransducer = (): Files => ({
  'tokens.txt': tokensFile(zipformerTokens),
  'encoder.onnx': network({
    inputs: { x: [FLOAT, 1, 'T', BINS], x_lens: [INT64, 1] },
    nodes: [node('MatMul', ['x', 'weights'], 'encoder_out'), node('Identity', ['x_lens'], 'encoder_out_lens')],
    weights: { weights: [BINS, WIDTH] },
    outputs: { encoder_out: [FLOAT, 1, 'T', WIDTH], encoder_out_lens: [INT64, 1] },
    metadata: { model_type: 'zipformer2' },
  }),
  'decoder.onnx': network({
    inputs: { y: [INT64, 'N', 2] },
    nodes: [
      node('Gather', ['embedding', 'y'], 'embedded'),
      node('Flatten', ['embedded'], 'flat'),
      node('MatMul', ['flat', 'weights'], 'decoder_out'),
    ],
    weights: { embedding: [zipformerTokens.length, WIDTH], weights: [2 * WIDTH, WIDTH] },
    outputs: { decoder_out: [FLOAT, 'N', WIDTH] },
    metadata: { vocab_size: zipformerTokens.length, context_size: 2 },
  }),
  'joiner.onnx': network({
    inputs: { encoder_out: [FLOAT, 'N', WIDTH], decoder_out: [FLOAT, 'N', WIDTH] },
    nodes: [node('Add', ['encoder_out', 'decoder_out'], 'sum'), node('MatMul', ['sum', 'weights'], 'logit')],
    weights: { weights: [WIDTH, zipformerTokens.length] },
    outputs: { logit: [FLOAT, 'N', zipformerTokens.length] },
    metadata: { joiner_dim: WIDTH },
  }),
});

// Of ONNX: types of elements, and of an attribute.
const FLOAT = 1;
const INT32 = 6;
const INT64 = 7;
const INTS = 7;

type Shape = readonly [type: number, ...dims: (number | string)[]];

interface Network {
  readonly inputs: Readonly<Record<string, Shape>>;
  readonly nodes: readonly object[];
  /** Dimensions by name. */
  readonly weights: Readonly<Record<string, readonly number[]>>;
  readonly outputs: Readonly<Record<string, Shape>>;
  readonly metadata?: Readonly<Record<string, string | number>>;
}

function network({ inputs, nodes, weights, outputs, metadata = {} }: Network): Uint8Array {
  const random = createRandom(11);
  const model = {
    ...{ ir_version: 8, opset_import: [{ domain: '', version: 13 }] },
    metadata_props: Object.entries(metadata).map(([key, value]) => encode('Entry', { key, value: `${value}` })),
    graph: {
      name: 'random',
      node: nodes,
      initializer: Object.entries(weights).map(([name, dims]) => {
        const values = Float32Array.from({ length: dims.reduce((a, b) => a * b) }, () => 2 * random() - 1);
        return { name, data_type: FLOAT, dims, raw_data: new Uint8Array(values.buffer) };
      }),
      input: Object.entries(inputs).map(toValue),
      output: Object.entries(outputs).map(toValue),
    },
  };
  return writeOnnxModel(model as unknown as OnnxModel);
}

const node = (op_type: string, input: readonly string[], output: string, { perm }: { perm?: number[] } = {}) => ({
  ...{ op_type, input, output: [output] },
  attribute: perm ? [{ name: 'perm', type: INTS, ints: perm }] : [],
});

const toValue = ([name, [elem_type, ...dims]]: readonly [string, Shape]) => ({
  name,
  type: encode('Type', {
    tensor_type: {
      elem_type,
      shape: { dim: dims.map((dim) => (typeof dim === 'number' ? { dim_value: dim } : { dim_param: dim })) },
    },
  }),
});

const { root } = protobuf.parse(
  `syntax = "proto2";
  message Entry { optional string key = 1; optional string value = 2; }
  message Type { optional TensorType tensor_type = 1; }
  message TensorType { optional int32 elem_type = 1; optional Shape shape = 2; }
  message Shape { repeated Dimension dim = 1; }
  message Dimension { optional int64 dim_value = 1; optional string dim_param = 2; }`,
  { keepCase: true },
);

function encode(type: string, value: object): Uint8Array {
  const message = root.lookupType(type);
  return message.encode(message.create(value)).finish();
}
