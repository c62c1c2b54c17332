import { createSampleBuffer } from './sample-buffer.ts';

export type Mixer = ReturnType<typeof createMixer>;

/**
 * Mixes two channels to their mean. Speech of opposite phase (a balanced microphone recorded as two channels) cancels in the mean, so a
 * block whose mean has less than 1 % of the power of half the difference is replaced by that. Blocks count from the first sample.
 */
export function createMixer(blockSamples: number) {
  const means = createSampleBuffer();
  const differences = createSampleBuffer();

  const take = (count: number): Float32Array => {
    const mean = means.copy(0, count);
    const difference = differences.copy(0, count);
    means.discard(count);
    differences.discard(count);
    for (let from = 0; from < count; from += blockSamples) {
      const block = difference.subarray(from, from + blockSamples);
      if (energyOf(mean.subarray(from, from + blockSamples)) < energyOf(block) * MIN_MEAN_POWER) mean.set(block, from);
    }
    return mean;
  };

  return {
    /** `difference`: half the difference of the channels. Returns whole blocks. */
    push(mean: Float32Array, difference: Float32Array): Float32Array {
      means.append(mean);
      differences.append(difference);
      return take(means.length() - (means.length() % blockSamples));
    },
    end: (): Float32Array => take(means.length()),
  };
}

const MIN_MEAN_POWER = 0.01;

function energyOf(samples: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < samples.length; i++) sum += samples[i]! ** 2;
  return sum;
}
