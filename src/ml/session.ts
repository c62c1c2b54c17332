import { startThread } from '../base/programs.ts';
import { keepThread } from './kept-thread.ts';
import type { Readout } from './readout.ts';
import { memoryOf, owned, type TensorShape, type Tensors } from './tensor.ts';
import type { Answer, Provider, Question, Ready, ThreadOptions } from './thread.ts';

export interface SessionOptions {
  /** The network, an ONNX file. */
  readonly path: string;
  /** Runs that may be under way at once, each in a thread of its own with the network in its memory. */
  readonly poolSize: number;
  /** CPU threads of one run. */
  readonly threads?: number;
  /** Where to compute: the first of these that this machine has. */
  readonly providers?: readonly Provider[];
}

export interface Session {
  /** Where it computes, of the providers that were asked for. */
  readonly provider: Provider;
  readonly inputs: readonly TensorShape[];
  /**
   * Runs the network, in the order of the calls. The memory of `feeds` is given away, not copied: they are empty
   * afterwards. Rejects when the network refuses them, when the thread dies (the next run gets a new one), or, while
   * it still waits for its turn, when `signal` aborts. With a `readout`, answers what its heads say instead of the
   * network's own outputs.
   */
  run(feeds: Tensors, signal?: AbortSignal, readout?: Readout): Promise<Tensors>;
  /** Ends the threads, each as soon as its run under way is over; runs that wait or are under way are rejected. */
  close(): Promise<void>;
}

/**
 * The one door to onnxruntime. It computes on the thread that calls it, so that thread must not be the one that beats
 * the heart of a worker, nor the one that answers requests: here each run is a message to a thread of a pool.
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { path, poolSize, threads = 1, providers = ['cpu'] } = options;
  const seats: Seat[] = Array.from({ length: poolSize }, () => createSeat({ path, threads, providers }));
  const idle = [...seats];
  const waiting: Turn[] = [];
  let closed = false;

  const next = () => {
    while (idle.length > 0 && waiting.length > 0) {
      const seat = idle.pop()!;
      const turn = waiting.shift()!;
      turn.begin();
      void seat
        .run(turn.question)
        .then(turn.resolve, turn.reject)
        .finally(() => {
          idle.push(seat);
          next();
        });
    }
  };

  const close = async () => {
    closed = true;
    for (const turn of waiting.splice(0)) turn.reject(new Error('The session was closed.'));
    await Promise.all(seats.map((seat) => seat.stop()));
  };

  const starts = await Promise.allSettled(seats.map((seat) => seat.start()));
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
        const leave = () => {
          waiting.splice(waiting.indexOf(turn), 1);
          reject(signal!.reason as Error);
        };
        const begin = () => signal?.removeEventListener('abort', leave);
        const turn: Turn = { question: { feeds, readout }, resolve, reject, begin };
        signal?.addEventListener('abort', leave);
        waiting.push(turn);
        next();
      });
    },
    close,
  };
}

interface Turn {
  readonly question: Question;
  begin(): void;
  resolve(outputs: Tensors): void;
  reject(reason: Error): void;
}

/** A place for one thread, and at most one run on it. */
interface Seat {
  /** Starts the thread, if it does not live. */
  start(): Promise<Ready>;
  run(question: Question): Promise<Tensors>;
  stop(): Promise<void>;
}

function createSeat(options: ThreadOptions): Seat {
  const start = () => startThread('./thread', import.meta.url, { workerData: options });
  const thread = keepThread<Ready>(start, 'the network');
  let closed = false;
  return {
    start: thread.ready,
    async run({ feeds, readout }) {
      const sent = owned(feeds);
      const given = await thread.ask<Answer>({ feeds: sent, readout } satisfies Question, memoryOf(sent));
      if (closed) throw new Error('The session was closed.');
      if ('error' in given) throw new Error(given.error);
      return given.outputs;
    },
    async stop() {
      closed = true;
      await thread.leave();
    },
  };
}
