import { parentPort, workerData } from 'node:worker_threads';
import { env, InferenceSession, Tensor as OrtTensor } from 'onnxruntime-node';
import { serveRequests } from '../base/thread-requests.ts';
import { applyReadout, type Readout } from './shared-heads.ts';
import { type Tensor, type TensorShape, type Tensors, transferListOf, withOwnBuffers } from './tensor.ts';

export interface ThreadOptions {
  readonly path: string;
  /** CPU threads per run; 1 gives the best throughput when all threads of the pool are busy. */
  readonly threads: number;
  readonly providers: readonly Provider[];
}
export type Provider = 'cpu' | 'cuda';

export interface ThreadRequest {
  readonly feeds: Tensors;
  readonly readout?: Readout | undefined;
}

/** First message of the thread; the answers are {@link Tensors}. */
export interface Ready {
  readonly provider: Provider;
  readonly inputs: readonly TensorShape[];
}

const { path, threads, providers } = workerData as ThreadOptions;

// Failures are thrown; onnxruntime would also print them to standard error.
env.logLevel = 'fatal';

const { session, provider } = await open();
const inputs = session.inputMetadata.map((input) => {
  if (!input.isTensor) throw new Error(`The input ${input.name} of the network is not a tensor.`);
  return { name: input.name, type: input.type, dims: input.shape };
});
serveRequests(run, transferListOf);
parentPort!.postMessage({ provider, inputs } satisfies Ready);

/** Tries one provider at a time: with a list, onnxruntime throws if one is missing. */
async function open(): Promise<{ session: InferenceSession; provider: Provider }> {
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

async function run({ feeds, readout }: ThreadRequest): Promise<Tensors> {
  const inputs = Object.entries(feeds).map(([name, { type, data, dims }]) => [
    name,
    new OrtTensor(type as 'float32', data as Float32Array, dims),
  ]);
  const results = Object.fromEntries(
    Object.entries(await session.run(Object.fromEntries(inputs))).map(([name, { type, data, dims }]) => [
      name,
      { type, data, dims } as unknown as Tensor,
    ]),
  );
  return readout ? applyReadout(readout, results) : withOwnBuffers(results);
}
