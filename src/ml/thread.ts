import { parentPort, workerData } from 'node:worker_threads';
import { env, InferenceSession, Tensor as OrtTensor } from 'onnxruntime-node';
import { type Readout, readOut } from './readout.ts';
import { memoryOf, owned, type Tensor, type TensorShape, type Tensors } from './tensor.ts';

/** What a thread is started with. */
export interface ThreadOptions {
  readonly path: string;
  /** CPU threads of one run: with a pool of threads that are all busy, 1 does the most work in the least time. */
  readonly threads: number;
  readonly providers: readonly Provider[];
}
export type Provider = 'cpu' | 'cuda';

/** What it is asked: to run the network, and to answer what the heads of `readout` make of its outputs, if any. */
export interface Question {
  readonly feeds: Tensors;
  readonly readout?: Readout | undefined;
}

/** What it says: first that it is ready (or it dies with the reason), then the answer to each question, in order. */
export interface Ready {
  readonly provider: Provider;
  readonly inputs: readonly TensorShape[];
}
export type Answer = { readonly outputs: Tensors } | { readonly error: string };

const { path, threads, providers } = workerData as ThreadOptions;

// What fails is thrown; it need not be printed on standard error as well (a missing accelerator, in long red lines).
env.logLevel = 'fatal';

const { session, provider } = await open();
const inputs = session.inputMetadata.map((input) => {
  if (!input.isTensor) throw new Error(`The input ${input.name} of the network is not a tensor.`);
  return { name: input.name, type: input.type, dims: input.shape };
});
parentPort!.on('message', (message: Question | 'leave') => {
  // Between two runs: a thread that is ended from outside while the network runs takes the whole process with it.
  if (message === 'leave') parentPort!.close();
  else void answer(message);
});
parentPort!.postMessage({ provider, inputs } satisfies Ready);

/** On the first of the providers that this machine has. A list of several is not passed on: it throws where one is missing. */
async function open(): Promise<{ session: InferenceSession; provider: Provider }> {
  let failure = new Error('No execution provider is named.');
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

async function answer({ feeds, readout }: Question): Promise<void> {
  try {
    const given = Object.entries(feeds).map(([name, { type, data, dims }]) => [
      name,
      new OrtTensor(type as 'float32', data as Float32Array, dims),
    ]);
    const made = Object.fromEntries(
      Object.entries(await session.run(Object.fromEntries(given))).map(([name, { type, data, dims }]) => [
        name,
        { type, data, dims } as unknown as Tensor,
      ]),
    );
    const outputs = readout ? readOut(readout, made) : owned(made);
    parentPort!.postMessage({ outputs } satisfies Answer, memoryOf(outputs));
  } catch (error) {
    parentPort!.postMessage({ error: error instanceof Error ? error.message : String(error) } satisfies Answer);
  }
}
