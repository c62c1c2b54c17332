import { parentPort, workerData } from 'node:worker_threads';
import { serveRequests } from '../base/thread-requests.ts';
import { type NetworkOptions, openNetwork, type Provider } from './network.ts';
import { applyReadout, type Readout } from './shared-heads.ts';
import { type TensorShape, type Tensors, transferListOf, withOwnBuffers } from './tensor.ts';

export interface ThreadRequest {
  readonly feeds: Tensors;
  readonly readout?: Readout | undefined;
}

/** First message of the thread; the answers are {@link Tensors}. */
export interface Ready {
  readonly provider: Provider;
  readonly inputs: readonly TensorShape[];
}

const { provider, inputs, run } = await openNetwork(workerData as NetworkOptions);
serveRequests(async ({ feeds, readout }: ThreadRequest): Promise<Tensors> => {
  const results = await run(feeds);
  return readout ? applyReadout(readout, results) : withOwnBuffers(results);
}, transferListOf);
parentPort!.postMessage({ provider, inputs } satisfies Ready);
