import { activationMaps, type Head, logitsOf } from './classifier.ts';
import type { Tensors } from './tensor.ts';

/**
 * Linear heads sent with each run to the network's thread. Their weights are in shared memory, so sending is free; the
 * response has a few numbers instead of the network's outputs, which are a hundred times larger.
 */
export type SharedHeads = Readonly<Record<string, SharedHead>>;

export interface SharedHead extends Head {
  /** Number of trailing features that are channel means of the map; 0 without activation maps. */
  readonly channels: number;
}

/** Copies a head into shared memory; `channels` enables activation maps. */
export const shareHead = ({ labels, weights, bias, temperature }: Head, channels = 0): SharedHead => ({
  labels,
  weights: sharedCopy(weights),
  bias: sharedCopy(bias),
  temperature,
  channels,
});

/** Applies the heads to one image's `features` and `map`: logits under the head's name, maps under `name.maps`. */
export function applyHeads(readout: SharedHeads, { features, map }: Tensors): Tensors {
  const outputs: Record<string, Tensors[string]> = {};
  for (const [name, head] of Object.entries(readout)) {
    const logits = logitsOf(head, features!.data as Float32Array);
    outputs[name] = { type: 'float64', dims: [logits.length], data: logits };
    if (head.channels === 0) continue;
    const data = activationMaps(head, logits, map!.data as Float32Array, head.channels);
    outputs[`${name}.maps`] = { type: 'uint8', dims: [head.labels.length, ...map!.dims.slice(2)], data };
  }
  return outputs;
}

function sharedCopy(values: Float32Array): Float32Array {
  const copy = new Float32Array(new SharedArrayBuffer(values.byteLength));
  copy.set(values);
  return copy;
}
