import { env, InferenceSession, Tensor as OrtTensor } from 'onnxruntime-node';
import type { Tensor, TensorShape, Tensors } from './tensor.ts';

export interface NetworkOptions {
  readonly path: string;
  /** CPU threads per run; 1 gives the best throughput when all cores are busy. */
  readonly threads: number;
  readonly providers: readonly Provider[];
}
export type Provider = 'cpu' | 'cuda';

// Failures are thrown; onnxruntime would also print them to standard error.
env.logLevel = 'fatal';

/** Opens a network that computes on the calling thread. Throws if it cannot be opened. */
export async function openNetwork(options: NetworkOptions) {
  const { session, provider } = await open(options);
  const inputs = session.inputMetadata.map((input): TensorShape => {
    if (!input.isTensor) throw new Error(`The input ${input.name} of the network is not a tensor.`);
    return { name: input.name, type: input.type, dims: input.shape };
  });
  return {
    provider,
    inputs,
    async run(feeds: Tensors): Promise<Tensors> {
      const tensors = Object.entries(feeds).map(([name, { type, data, dims }]) => [
        name,
        new OrtTensor(type as 'float32', data as Float32Array, dims),
      ]);
      return Object.fromEntries(
        Object.entries(await session.run(Object.fromEntries(tensors))).map(([name, { type, data, dims }]) => [
          name,
          { type, data, dims } as unknown as Tensor,
        ]),
      );
    },
  };
}

/** Tries one provider at a time: with a list, onnxruntime throws if one is missing. */
async function open({ path, threads, providers }: NetworkOptions) {
  let failure = new Error('No execution provider is configured.');
  for (const provider of providers) {
    try {
      const session = await InferenceSession.create(path, {
        executionProviders: [provider],
        intraOpNumThreads: threads,
        interOpNumThreads: 1,
        executionMode: 'sequential',
      });
      return { session, provider };
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
    }
  }
  throw failure;
}
