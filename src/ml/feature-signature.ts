import { createRandom } from '../base/random.ts';
import { SIGNATURE_LENGTH, type Signature } from '../base/signature.ts';
import type { FeatureStatistics } from './familiarity.ts';

/** Stored signatures depend on it. */
const SEED = 39;

/**
 * Reduces features to a signature that keeps the cosines of the standardized features: a subsampled randomized Hadamard
 * transform (Ailon and Chazelle 2009, doi:10.1137/060673096), in 8 bits each.
 */
export function createSigner({ mean, scale }: Pick<FeatureStatistics, 'mean' | 'scale'>) {
  const size = 2 ** Math.ceil(Math.log2(Math.max(mean.length, SIGNATURE_LENGTH)));
  const random = createRandom(SEED);
  const factors = Float32Array.from(scale, (deviation) => (random() < 0.5 ? -1 : 1) / deviation);
  return (features: Float32Array): Signature => {
    const values = new Float32Array(size);
    for (let d = 0; d < mean.length; d++) values[d] = (features[d]! - mean[d]!) * factors[d]!;
    transformHadamard(values);
    const kept = values.subarray(0, SIGNATURE_LENGTH);
    const most = kept.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
    return Int8Array.from(kept, (value) => (most === 0 ? 0 : Math.round((127 * value) / most)));
  };
}

/** In place; the length is a power of two. */
function transformHadamard(values: Float32Array): void {
  for (let half = 1; half < values.length; half *= 2) {
    for (let from = 0; from < values.length; from += 2 * half) {
      for (let i = from; i < from + half; i++) {
        const [a, b] = [values[i]!, values[i + half]!];
        values[i] = a + b;
        values[i + half] = a - b;
      }
    }
  }
}
