import { activationMaps, type Head, logitsOf } from './classifier.ts';
import type { Tensors } from './tensor.ts';

/**
 * Linear heads in the form in which they go to a network's thread with each run. They lie in memory that threads share,
 * so that costs nothing; and what comes back is a handful of numbers instead of the network's whole outputs, which
 * weigh a hundred times as much.
 */
export type Readout = Readonly<Record<string, SharedHead>>;

export interface SharedHead extends Head {
  /** How many of the features, from the last, are means of the map's channels; 0 where no maps are wanted. */
  readonly channels: number;
}

/** Shares a head; with `channels`, activation maps are read out too. */
export const shareHead = ({ labels, weights, bias, temperature }: Head, channels = 0): SharedHead => ({
  labels,
  weights: sharedCopy(weights),
  bias: sharedCopy(bias),
  temperature,
  channels,
});

/** What the heads say of one image's `features` and `map`: their logits by name, and by `name.maps` their maps. */
export function readOut(readout: Readout, { features, map }: Tensors): Tensors {
  const read: Record<string, Tensors[string]> = {};
  for (const [name, head] of Object.entries(readout)) {
    const logits = logitsOf(head, features!.data as Float32Array);
    read[name] = { type: 'float64', dims: [logits.length], data: logits };
    if (head.channels === 0) continue;
    const data = activationMaps(head, logits, map!.data as Float32Array, head.channels);
    read[`${name}.maps`] = { type: 'uint8', dims: [head.labels.length, ...map!.dims.slice(2)], data };
  }
  return read;
}

function sharedCopy(values: Float32Array): Float32Array {
  const copy = new Float32Array(new SharedArrayBuffer(values.byteLength));
  copy.set(values);
  return copy;
}
