import { isLayout, linksOf, type OnnxGraph, type OnnxNode, type OnnxTensor } from '../../onnx-model.ts';

/*
 * Attention over silence takes as long as over speech. Of the silence that pads a window to 30 s, and of pauses, every fourth
 * frame is computed and stands for four: the logarithm of four is added to its attention scores, as in token merging
 * (Bolya et al. 2023, arXiv:2210.09461, equation 2). Without the padding, words are lost in short windows.
 */

/** Which of the 1500 frames of 20 ms of an encoder's output are computed. */
export interface MergedFrames {
  readonly kept: readonly number[];
  /** How many frames each kept frame stands for. */
  readonly counts: readonly number[];
  /** How many frames are convolved: after the sound, all are equal. */
  readonly convolved: number;
  /** The convolved frame of each kept frame. */
  readonly sources: readonly number[];
}

/** The end of the names of attention nodes that `fuseAttention` made. */
export const FUSED = '_fused';

const ALL_FRAMES = 1500;
const FRAMES_PER_SECOND = 50;
const MERGED = 4;
/** Frames after the sound that the convolutions change. */
const MARGIN = 10;
/** Frames at both ends of a pause that are kept: quiet sounds begin and end words. */
const PAUSE_MARGIN = 10;
/** The last frame that is convolved sees the end. */
const EDGE = 1;

/** For a window of `seconds`, padded to 30 s. `isQuiet` tells the frames without sound. */
export function mergedFrames(seconds: number, isQuiet: (frame: number) => boolean): MergedFrames {
  const sound = Math.min(ALL_FRAMES, Math.ceil(seconds * FRAMES_PER_SECOND) + MARGIN);
  const isSilent = silentFrames(sound, isQuiet);
  const kept: number[] = [];
  const counts: number[] = [];
  for (let frame = 0; frame < ALL_FRAMES; ) {
    let count = 1;
    while (isSilent[frame] === 1 && count < MERGED && isSilent[frame + count] === 1) count++;
    kept.push(frame + Math.floor(count / 2));
    counts.push(count);
    frame += count;
  }
  const convolved = Math.min(ALL_FRAMES, sound + 1 + EDGE);
  const last = convolved === ALL_FRAMES ? ALL_FRAMES - 1 : sound;
  return { kept, counts, convolved, sources: kept.map((frame) => Math.min(frame, last)) };
}

function silentFrames(sound: number, isQuiet: (frame: number) => boolean): Uint8Array {
  const isSilent = new Uint8Array(ALL_FRAMES).fill(1, sound);
  for (let from = 0, to = 0; to <= sound - MARGIN; to++) {
    if (to < sound - MARGIN && isQuiet(to)) continue;
    if (to - from > 2 * PAUSE_MARGIN) isSilent.fill(1, from + PAUSE_MARGIN, to - PAUSE_MARGIN);
    from = to + 1;
  }
  return isSilent;
}

/** Attention to the kept frames, as attention to all frames. */
export function attentionToAll(attention: Float32Array, { counts }: MergedFrames): Float32Array {
  const all = new Float32Array(ALL_FRAMES);
  let frame = 0;
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i]!;
    const share = attention[i]! / count;
    for (let n = 0; n < count; n++) all[frame++] = share;
  }
  return all;
}

/**
 * Lets an encoder with fused attention compute only the frames `kept_frames` (int64 [n]) from the convolved frames
 * `convolved_frames` (int64 [n]), with `frame_scores` (float [n]) added to the scores of attention to them. ONNX Runtime's
 * fast attention takes no addend, so it becomes one more element of each key, for which the queries have 1. Changes nothing
 * in a graph without the expected nodes.
 */
export function mergeEncoderFrames(graph: OnnxGraph, heads: number): void {
  const positions = graph.initializer.find(({ dims }) => dims.length === 2 && Number(dims[0]) === ALL_FRAMES);
  const positioned = graph.node.find(
    ({ op_type, input }) => op_type === 'Add' && input.includes(positions?.name ?? ''),
  );
  const attentions = graph.node.filter(({ op_type }) => op_type === 'MultiHeadAttention');
  // Those of `fuseAttention`, and no others.
  const isFused =
    attentions.length > 0 &&
    attentions.every(({ name, input }) => name?.endsWith(FUSED) && input.length === 3) &&
    graph.node.every(({ op_type }) => op_type !== 'Softmax' && op_type !== 'Attention');
  if (!positions || !positioned || !isFused) return;
  const width = Number(positions.dims[1]) / heads;

  const convolved = positioned.input.find((name) => name !== positions.name)!;
  positioned.input = ['kept_convolved', 'kept_positions'];
  graph.node = [
    reshape('frame_scores', 'score_shape', 'frame_score'),
    { op_type: 'Tile', input: ['frame_score', 'score_repeats'], output: ['key_scores'] },
    withAxis('Gather', 0, [positions.name!, 'kept_frames'], 'kept_positions'),
    ...graph.node.flatMap((node) => {
      if (node === positioned) return [withAxis('Gather', 1, [convolved, 'convolved_frames'], 'kept_convolved'), node];
      return node.op_type === 'MultiHeadAttention' ? attentionWithScores(node) : [node];
    }),
  ];
  graph.initializer = [
    ...graph.initializer,
    int64s('score_shape', [1, -1, 1, 1]),
    int64s('score_repeats', [1, 1, heads, 1]),
    int64s('split_shape', [1, -1, heads, width]),
    int64s('joined_shape', [1, -1, heads * (width + 1)]),
    int64s('one_more_element', [0, 0, 0, 0, 0, 0, 0, 1]),
    { name: 'one', data_type: FLOAT, dims: [], raw_data: new Uint8Array(Float32Array.of(1).buffer) },
  ];
  const indices = ['kept_frames', 'convolved_frames'].map((name) => ({ name, type: tensorType(INT64) }));
  graph.input = [...graph.input, ...indices, FRAME_SCORES];
}

function attentionWithScores(node: OnnxNode): OnnxNode[] {
  const [query, key, value] = node.input as [string, string, string];
  const of = (part: string) => `${node.name}_${part}`;
  return [
    reshape(query, 'split_shape', of('split_query')),
    { op_type: 'Pad', input: [of('split_query'), 'one_more_element', 'one'], output: [of('padded_query')] },
    reshape(of('padded_query'), 'joined_shape', of('query')),
    reshape(key, 'split_shape', of('split_key')),
    withAxis('Concat', 3, [of('split_key'), 'key_scores'], of('scored_key')),
    reshape(of('scored_key'), 'joined_shape', of('key')),
    { ...node, input: [of('query'), of('key'), value] },
  ];
}

/**
 * Adds `frame_scores` (float [n]) to the scores of a decoder's attention to the encoder's output, whose keys are the inputs
 * `past_key_values.LAYER.encoder.key`. Changes nothing in a graph without the expected nodes.
 */
export function mergeDecoderFrames(graph: OnnxGraph): void {
  const { producer } = linksOf(graph);
  const isEncoderKey = (name: string | undefined): boolean => {
    const node = producer(name);
    return node ? isLayout(node) && isEncoderKey(node.input[0]) : ENCODER_KEY.test(name ?? '');
  };
  const isFused = ({ op_type, input }: OnnxNode) => op_type === 'MultiHeadAttention' && isEncoderKey(input[1]);
  const isPlain = ({ op_type, input }: OnnxNode) =>
    op_type === 'Softmax' && isEncoderKey(producer(input[0])?.input[1]) && producer(input[0])?.op_type === 'MatMul';
  const layers = graph.input.filter(({ name }) => ENCODER_KEY.test(name)).length;
  if (graph.node.filter((node) => isFused(node) || isPlain(node)).length !== layers) return;
  graph.node = [
    reshape('frame_scores', 'score_shape', 'frame_score'),
    ...graph.node.flatMap((node) => {
      if (isFused(node)) return [{ ...node, input: [...node.input, '', '', 'frame_score'] }];
      if (!isPlain(node)) return [node];
      const sum = `${node.name}_scores`;
      return [
        { op_type: 'Add', input: [node.input[0]!, 'frame_scores'], output: [sum] },
        { ...node, input: [sum] },
      ];
    }),
  ];
  graph.initializer = [...graph.initializer, int64s('score_shape', [1, 1, 1, -1])];
  graph.input = [...graph.input, FRAME_SCORES];
}

const ENCODER_KEY = /^past_key_values\.\d+\.encoder\.key$/;

const reshape = (from: string, shape: string, to: string): OnnxNode => ({
  ...{ op_type: 'Reshape', input: [from, shape], output: [to] },
});

const withAxis = (op_type: string, axis: number, input: string[], output: string): OnnxNode => ({
  ...{ op_type, input, output: [output] },
  attribute: [{ name: 'axis', type: INT, i: axis }],
});

const int64s = (name: string, values: readonly number[]): OnnxTensor => ({
  ...{ name, data_type: INT64, dims: [values.length] },
  raw_data: new Uint8Array(BigInt64Array.from(values, BigInt).buffer),
});

/** Of ONNX: a TypeProto of a tensor of any shape. */
const tensorType = (element: number) => Uint8Array.of(0x0a, 2, 0x08, element);

// Of ONNX: the type of an attribute, and of tensors.
const INT = 2;
const FLOAT = 1;
const INT64 = 7;

const FRAME_SCORES = { name: 'frame_scores', type: tensorType(FLOAT) };
