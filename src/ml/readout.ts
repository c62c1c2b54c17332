import { activationMaps, type Head, logitsOf } from './classifier.ts';
import type { Tensors } from './tensor.ts';

/**
 * Linear heads in the form in which they go to a network's thread with each run. They lie in memory that threads share,
 * so that costs nothing; and what comes back is a handful of numbers instead of the network's whole outputs, which
 * weigh a hundred times as much.
 */
export type Readout = Readonly<Record<string, SharedHead>>;

export interface SharedHead extends Pick<Head, 'labels' | 'weights' | 'bias'> {
  /** [channels, K]: the weights of the map's channels, where maps are wanted. */
  readonly columns?: Float64Array;
}

/** Shares a head; with `channels`, the tail of its features that are means of a map, activation maps are read out too. */
export function shareHead({ labels, weights, bias }: Head, channels = 0): SharedHead {
  const shared = { labels, weights: sharedCopy(weights), bias: sharedCopy(bias) };
  if (channels === 0) return shared;
  const classes = labels.length;
  const features = weights.length / classes;
  // Channel by channel, as they are used: row by row, each one would be fetched from another corner of the memory.
  const columns = new Float64Array(new SharedArrayBuffer(channels * classes * 8));
  for (let c = 0; c < channels; c++) {
    for (let k = 0; k < classes; k++) columns[c * classes + k] = weights[k * features + features - channels + c]!;
  }
  return { ...shared, columns };
}

/** What the heads say of one image's `features` and `map`: their logits by name, and by `name.maps` their maps. */
export function readOut(readout: Readout, { features, map }: Tensors): Tensors {
  const read: Record<string, Tensors[string]> = {};
  for (const [name, head] of Object.entries(readout)) {
    const logits = logitsOf(head, features!.data as Float32Array);
    read[name] = { type: 'float64', dims: [logits.length], data: logits };
    if (!head.columns) continue;
    const data = activationMaps(head.columns, head.labels.length, map!.data as Float32Array);
    read[`${name}.maps`] = { type: 'uint8', dims: [head.labels.length, ...map!.dims.slice(2)], data };
  }
  return read;
}

function sharedCopy(values: Float32Array): Float32Array {
  const copy = new Float32Array(new SharedArrayBuffer(values.byteLength));
  copy.set(values);
  return copy;
}
