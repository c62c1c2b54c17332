import { startThread } from '../base/worker-entry.ts';
import type { NetworkOptions, Provider } from './network.ts';
import { createPersistentThread } from './persistent-thread.ts';
import { createPool } from './pool.ts';
import type { Readout } from './shared-heads.ts';
import { type Tensors, transferListOf, withOwnBuffers } from './tensor.ts';
import type { Ready, ThreadRequest } from './thread.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface SessionOptions {
  readonly path: string;
  /** Concurrent runs, each in a thread with its own copy of the network. */
  readonly poolSize: number;
  readonly threads?: number;
  readonly providers?: readonly Provider[];
}

export type Session = Awaited<ReturnType<typeof openSession>>;

/**
 * Opens a pool of inference threads. onnxruntime computes on the calling thread, which must stay free for heartbeats
 * and HTTP requests.
 */
export async function openSession(options: SessionOptions) {
  const { path, poolSize, threads = 1, providers = ['cpu'] } = options;
  const workerData: NetworkOptions = { path, threads, providers };
  const start = () => startThread('./thread', import.meta.url, { workerData });
  const all = Array.from({ length: poolSize }, () => createPersistentThread<Ready>(start, 'the network'));
  const withThread = createPool(all);
  let closed = false;
  const throwIfClosed = () => {
    if (closed) throw new Error('The session was closed.');
  };

  const close = async () => {
    closed = true;
    await Promise.all(all.map((thread) => thread.close()));
  };

  const starts = await Promise.allSettled(all.map((thread) => thread.ready()));
  const failed = starts.find((start) => start.status === 'rejected');
  if (failed) {
    await close();
    throw new Error(`The network could not be opened: ${String(failed.reason?.message ?? failed.reason)}`, {
      cause: failed.reason,
    });
  }
  const { provider, inputs } = (starts[0] as PromiseFulfilledResult<Ready>).value;

  return {
    provider,
    inputs,
    /**
     * Runs the network in call order. Transfers the memory of `feeds`, which are empty afterwards. Rejects when the
     * network rejects the feeds, when the thread ends (the next run starts a new one), or when `signal` aborts; a run that
     * has started then continues without a result. With `readout`, returns its outputs instead of the network's.
     */
    run(feeds: Tensors, signal?: AbortSignal, readout?: Readout): Promise<Tensors> {
      const running = withThread(async (thread) => {
        signal?.throwIfAborted();
        throwIfClosed();
        const sent = withOwnBuffers(feeds);
        const request: ThreadRequest = { feeds: sent, readout };
        const outputs = await thread.request<Tensors>(request, transferListOf(sent));
        throwIfClosed();
        return outputs;
      });
      return signal ? unlessAborted(running, signal) : running;
    },
    /** Ends each thread after its current run; pending runs are rejected. */
    close,
  };
}
