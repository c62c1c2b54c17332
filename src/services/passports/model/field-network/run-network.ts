import type { Tensors } from '../../../../ml/tensor.ts';
import { GRAMS, NUMBERS, type PageFeatures } from './page-features.ts';
import { RELATIONS } from './page-graph.ts';
import type { PartOutput } from './page-reading.ts';

/** Runs the network on a part of a page. */
export async function runNetwork(
  run: (feeds: Tensors) => Promise<Tensors>,
  { count, grams, numbers, places, neighbours }: PageFeatures,
): Promise<PartOutput> {
  const { probabilities, pairs } = await run({
    grams: { type: 'int32', data: grams, dims: [1, count, GRAMS] },
    numbers: { type: 'float32', data: numbers, dims: [1, count, NUMBERS] },
    places: { type: 'float32', data: places, dims: [1, count, 2] },
    neighbours: { type: 'int32', data: neighbours, dims: [1, count, RELATIONS.length] },
  });
  return { probabilities: probabilities!.data as Float32Array, pairs: pairs!.data as Float32Array };
}
