import { activationMaps, type Head, logitsOf } from './classifier.ts';
import { distanceOf, type FeatureStatistics } from './familiarity.ts';
import { cellsOf, type PatchMemory, patchDistances } from './patches.ts';
import { stack, type Tensors, unstack } from './tensor.ts';

/**
 * Linear heads sent with each run to the network's thread. Their weights are in shared memory, so sending is free; the
 * response has a few numbers instead of the network's outputs, which are a hundred times larger.
 */
export type SharedHeads = Readonly<Record<string, SharedHead>>;

/** What a run returns instead of the network's outputs. */
export interface Readout {
  readonly heads: SharedHeads;
  readonly statistics?: FeatureStatistics | undefined;
  readonly memory?: PatchMemory | undefined;
  /** Also returns the image's `features`. */
  readonly withFeatures?: boolean;
  /** Another readout of the same outputs, returned with the prefix {@link ADDED}; nothing if it fails. */
  readonly added?: Readout | undefined;
}

export const ADDED = 'added.';

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

/** Copies patches into shared memory. */
export const shareMemory = ({ mean, scale, patches }: PatchMemory): PatchMemory => ({
  mean: sharedCopy(mean),
  scale: sharedCopy(scale),
  patches: sharedCopy(patches),
});

/** Copies feature statistics into shared memory. */
export const shareStatistics = (statistics: FeatureStatistics): FeatureStatistics => ({
  mean: sharedCopy(statistics.mean),
  scale: sharedCopy(statistics.scale),
  components: sharedCopy(statistics.components),
  variances: sharedCopy(statistics.variances),
  noise: statistics.noise,
});

/** Applies the heads to one image's `features` and `map`: logits under the head's name, maps under `name.maps`. */
export function applyHeads(heads: SharedHeads, { features, map }: Tensors): Tensors {
  const outputs: Record<string, Tensors[string]> = {};
  for (const [name, head] of Object.entries(heads)) {
    const logits = logitsOf(head, features!.data as Float32Array);
    outputs[name] = { type: 'float64', dims: [logits.length], data: logits };
    if (head.channels === 0) continue;
    const data = activationMaps(head, logits, map!.data as Float32Array, head.channels);
    outputs[`${name}.maps`] = { type: 'uint8', dims: [head.labels.length, ...map!.dims.slice(2)], data };
  }
  return outputs;
}

/**
 * Also adds the `distance` of the image from the training photos, and the distances of its `patches` [cells]. The outputs of
 * a batch are those of its images, stacked.
 */
export function applyReadout(readout: Readout, outputs: Tensors): Tensors {
  const [images = 1] = outputs['features']!.dims;
  if (images === 1) return applyToImage(readout, outputs);
  return stack(unstack(outputs, images).map((image) => applyToImage(readout, image)));
}

function applyToImage({ heads, statistics, memory, withFeatures, added }: Readout, outputs: Tensors): Tensors {
  const { features, map } = outputs;
  const distance = statistics && Float64Array.of(distanceOf(statistics, features!.data as Float32Array));
  const patches = memory && patchDistances(memory, cellsOf(map!.data as Float32Array, memory.mean.length));
  return {
    ...applyHeads(heads, outputs),
    ...(withFeatures && { features: ownCopy(features!) }),
    ...(distance && { distance: { type: 'float64', dims: [1], data: distance } }),
    ...(patches && { patches: { type: 'float64', dims: map!.dims.slice(2), data: patches } }),
    ...(added && applyAdded(added, outputs)),
  };
}

function applyAdded(added: Readout, outputs: Tensors): Tensors {
  try {
    return Object.fromEntries(
      Object.entries(applyReadout(added, outputs)).map(([name, tensor]) => [ADDED + name, tensor]),
    );
  } catch {
    return {};
  }
}

const ownCopy = ({ dims, data }: Tensors[string]) =>
  ({ type: 'float32', dims, data: (data as Float32Array).slice() }) as const;

function sharedCopy(values: Float32Array): Float32Array {
  const copy = new Float32Array(new SharedArrayBuffer(values.byteLength));
  copy.set(values);
  return copy;
}
