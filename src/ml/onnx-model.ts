import protobuf from 'protobufjs';

/** The parts of an ONNX model (onnx.proto, IR version 8) that are edited; parts declared as bytes are copied. */
export interface OnnxModel {
  opset_import: { domain?: string; version: unknown }[];
  graph: OnnxGraph;
}

export interface OnnxGraph {
  node: OnnxNode[];
  initializer: OnnxTensor[];
  input: OnnxValue[];
  output: OnnxValue[];
  value_info?: unknown[];
}

export interface OnnxNode {
  input: string[];
  output: string[];
  name?: string;
  op_type: string;
  domain?: string;
  attribute?: OnnxAttribute[];
}

export interface OnnxAttribute {
  name: string;
  type: number;
  f?: number;
  i?: number;
  g?: OnnxGraph;
}

export interface OnnxTensor {
  name: string;
  data_type: number;
  /** Numbers or 64-bit values. */
  dims: unknown[];
  float_data?: number[];
  raw_data?: Uint8Array;
  int32_data?: number[];
}

export interface OnnxValue {
  name: string;
  type?: Uint8Array;
}

const { root } = protobuf.parse(
  `syntax = "proto2";
  message Model { optional int64 ir_version = 1; optional string producer_name = 2; optional string producer_version = 3;
    optional string domain = 4; optional int64 model_version = 5; optional string doc_string = 6;
    optional Graph graph = 7; repeated OperatorSet opset_import = 8; repeated bytes metadata_props = 14;
    repeated bytes functions = 25; }
  message OperatorSet { optional string domain = 1; optional int64 version = 2; }
  message Graph { repeated Node node = 1; optional string name = 2; repeated Tensor initializer = 5;
    optional string doc_string = 10; repeated Value input = 11; repeated Value output = 12; repeated Value value_info = 13;
    repeated bytes quantization_annotation = 14; repeated bytes sparse_initializer = 15; }
  message Node { repeated string input = 1; repeated string output = 2; optional string name = 3;
    optional string op_type = 4; repeated Attribute attribute = 5; optional string doc_string = 6;
    optional string domain = 7; }
  message Attribute { optional string name = 1; optional float f = 2; optional int64 i = 3; optional bytes s = 4;
    optional bytes t = 5; optional Graph g = 6; repeated float floats = 7; repeated int64 ints = 8;
    repeated bytes strings = 9; repeated bytes tensors = 10; repeated Graph graphs = 11; optional string doc_string = 13;
    optional int32 type = 20; optional string ref_attr_name = 21; }
  message Tensor { repeated int64 dims = 1; optional int32 data_type = 2; optional bytes segment = 3;
    repeated float float_data = 4 [packed = true]; repeated int32 int32_data = 5 [packed = true];
    repeated bytes string_data = 6; repeated int64 int64_data = 7 [packed = true]; optional string name = 8;
    optional bytes raw_data = 9; repeated double double_data = 10 [packed = true];
    repeated uint64 uint64_data = 11 [packed = true]; optional string doc_string = 12; repeated bytes external_data = 13;
    optional int32 data_location = 14; }
  message Value { optional string name = 1; optional bytes type = 2; optional string doc_string = 3; }`,
  { keepCase: true },
);
const [Model, Graph, Tensor] = ['Model', 'Graph', 'Tensor'].map((name) => root.lookupType(name)) as [
  protobuf.Type,
  protobuf.Type,
  protobuf.Type,
];

/** Parses a model. Its weights are views of `bytes`. Throws for bytes that are not a model. */
export function readOnnxModel(bytes: Buffer): OnnxModel {
  const model = Model.decode(bytes) as unknown as Partial<OnnxModel>;
  if (!model.graph) throw new Error('The ONNX file has no graph.');
  return model as OnnxModel;
}

/** The model as bytes, without what its outputs do not need. */
export function writeOnnxModel(model: OnnxModel): Uint8Array<ArrayBuffer> {
  const { initializer, ...graph } = withoutUnused(model.graph);
  // The writer of protobufjs would copy the weights each time that its memory grows. The fields of a message may stand in parts.
  const parts = [
    Graph.encode(graph).finish(),
    ...initializer.flatMap(({ raw_data = NO_BYTES, ...tensor }) => {
      const fields = Tensor.encode(tensor).finish();
      const content = raw_data.length > 0 ? [lengthPrefix(Tensor.fields['raw_data']!, raw_data), raw_data] : [];
      const all = [fields, ...content];
      return [lengthPrefix(Graph.fields['initializer']!, ...all), ...all];
    }),
  ];
  const { graph: _, ...rest } = model;
  const head = Model.encode(rest).finish();
  return concatenate([head, lengthPrefix(Model.fields['graph']!, ...parts), ...parts]);
}

const NO_BYTES = new Uint8Array(0);
const LENGTH_DELIMITED = 2;

/** The tag and length of a field with these bytes. */
const lengthPrefix = ({ id }: protobuf.Field, ...parts: readonly Uint8Array[]): Uint8Array =>
  protobuf.Writer.create()
    .uint32((id << 3) | LENGTH_DELIMITED)
    .uint32(lengthOf(parts))
    .finish();

const lengthOf = (parts: readonly Uint8Array[]) => parts.reduce((sum, { length }) => sum + length, 0);

function concatenate(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(lengthOf(parts));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The graph without what its outputs do not need. */
export function withoutUnused(graph: OnnxGraph): OnnxGraph {
  const needed = new Set(graph.output.map(({ name }) => name));
  const node = graph.node
    .toReversed()
    .filter((each) => {
      const isNeeded = each.output.some((name) => needed.has(name));
      if (isNeeded) for (const name of each.input) needed.add(name);
      return isNeeded;
    })
    .toReversed();
  const isNeeded = ({ name }: { name: string }) => needed.has(name);
  const input = graph.input.filter(isNeeded);
  const initializer = graph.initializer.filter(isNeeded);
  return { ...graph, node, input, initializer, value_info: [] };
}

/** Nodes that change only the shape of their first input. */
export const isLayout = ({ op_type }: OnnxNode) => op_type === 'Reshape' || op_type === 'Transpose';

/** Who produces and who consumes a value of a graph. */
export function linksOf({ node }: OnnxGraph) {
  const producers = new Map(node.flatMap((each) => each.output.map((name) => [name, each] as const)));
  const consumers = new Map<string, OnnxNode[]>();
  for (const each of node) {
    for (const name of each.input) {
      const known = consumers.get(name);
      if (known) known.push(each);
      else consumers.set(name, [each]);
    }
  }
  return {
    producer: (name: string | undefined) => (name === undefined ? undefined : producers.get(name)),
    consumers: (name: string): readonly OnnxNode[] => consumers.get(name) ?? [],
  };
}
