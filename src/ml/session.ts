import { startThread } from '../base/worker-entry.ts';
import { createPersistentThread } from './persistent-thread.ts';
import type { SharedHeads } from './shared-heads.ts';
import { type TensorShape, type Tensors, transferListOf, withOwnBuffers } from './tensor.ts';
import type { Provider, Ready, ThreadOptions, ThreadRequest, ThreadResponse } from './thread.ts';

export interface SessionOptions {
  readonly path: string;
  /** Concurrent runs, each in a thread with its own copy of the network. */
  readonly poolSize: number;
  readonly threads?: number;
  readonly providers?: readonly Provider[];
}

export interface Session {
  readonly provider: Provider;
  readonly inputs: readonly TensorShape[];
  /**
   * Runs the network in call order. Transfers the memory of `feeds`, which are empty afterwards. Rejects when the
   * network rejects the feeds, when the thread ends (the next run starts a new one), or when `signal` aborts before the
   * run starts. With `readout`, returns the heads' outputs instead of the network's.
   */
  run(feeds: Tensors, signal?: AbortSignal, readout?: SharedHeads): Promise<Tensors>;
  /** Ends each thread after its current run; pending runs are rejected. */
  close(): Promise<void>;
}

/**
 * Opens a pool of inference threads. onnxruntime computes on the calling thread, which must stay free for heartbeats
 * and HTTP requests.
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { path, poolSize, threads = 1, providers = ['cpu'] } = options;
  const slots: PoolSlot[] = Array.from({ length: poolSize }, () => createSlot({ path, threads, providers }));
  const idle = [...slots];
  const waiting: QueuedRun[] = [];
  let closed = false;

  const next = () => {
    while (idle.length > 0 && waiting.length > 0) {
      const slot = idle.pop()!;
      const queued = waiting.shift()!;
      queued.begin();
      void slot
        .run(queued.request)
        .then(queued.resolve, queued.reject)
        .finally(() => {
          idle.push(slot);
          next();
        });
    }
  };

  const close = async () => {
    closed = true;
    for (const queued of waiting.splice(0)) queued.reject(new Error('The session was closed.'));
    await Promise.all(slots.map((slot) => slot.stop()));
  };

  const starts = await Promise.allSettled(slots.map((slot) => slot.start()));
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
    run(feeds, signal, readout) {
      return new Promise((resolve, reject) => {
        if (closed) return reject(new Error('The session was closed.'));
        if (signal?.aborted) return reject(signal.reason as Error);
        const cancel = () => {
          waiting.splice(waiting.indexOf(queued), 1);
          reject(signal!.reason as Error);
        };
        const begin = () => signal?.removeEventListener('abort', cancel);
        const queued: QueuedRun = { request: { feeds, readout }, resolve, reject, begin };
        signal?.addEventListener('abort', cancel);
        waiting.push(queued);
        next();
      });
    },
    close,
  };
}

interface QueuedRun {
  readonly request: ThreadRequest;
  begin(): void;
  resolve(outputs: Tensors): void;
  reject(reason: Error): void;
}

interface PoolSlot {
  start(): Promise<Ready>;
  run(request: ThreadRequest): Promise<Tensors>;
  stop(): Promise<void>;
}

function createSlot(options: ThreadOptions): PoolSlot {
  const start = () => startThread('./thread', import.meta.url, { workerData: options });
  const thread = createPersistentThread<Ready>(start, 'the network');
  let closed = false;
  return {
    start: thread.ready,
    async run({ feeds, readout }) {
      const sent = withOwnBuffers(feeds);
      const response = await thread.request<ThreadResponse>(
        { feeds: sent, readout } satisfies ThreadRequest,
        transferListOf(sent),
      );
      if (closed) throw new Error('The session was closed.');
      if ('error' in response) throw new Error(response.error);
      return response.outputs;
    },
    async stop() {
      closed = true;
      await thread.close();
    },
  };
}
