import { parentPort, workerData } from 'node:worker_threads';
import { env, InferenceSession, Tensor as OrtTensor } from 'onnxruntime-node';
import { applyHeads, type SharedHeads } from './shared-heads.ts';
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
  readonly readout?: SharedHeads | undefined;
}

/** First message of the thread; the responses follow in request order. */
export interface Ready {
  readonly provider: Provider;
  readonly inputs: readonly TensorShape[];
}
export type ThreadResponse = { readonly outputs: Tensors } | { readonly error: string };

const { path, threads, providers } = workerData as ThreadOptions;

// Failures are thrown; onnxruntime would also print them to standard error.
env.logLevel = 'fatal';

const { session, provider } = await open();
const inputs = session.inputMetadata.map((input) => {
  if (!input.isTensor) throw new Error(`The input ${input.name} of the network is not a tensor.`);
  return { name: input.name, type: input.type, dims: input.shape };
});
parentPort!.on('message', (message: ThreadRequest | 'close') => {
  // Closes between two runs: terminating a thread during a network run crashes the process.
  if (message === 'close') parentPort!.close();
  else void handleRequest(message);
});
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

async function handleRequest({ feeds, readout }: ThreadRequest): Promise<void> {
  try {
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
    const outputs = readout ? applyHeads(readout, results) : withOwnBuffers(results);
    parentPort!.postMessage({ outputs } satisfies ThreadResponse, transferListOf(outputs));
  } catch (error) {
    parentPort!.postMessage({ error: error instanceof Error ? error.message : String(error) } satisfies ThreadResponse);
  }
}
