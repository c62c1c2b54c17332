import type { Transferable, Worker } from 'node:worker_threads';

/** A thread that lives as long as it is wanted: when it has died, the next question gets a new one. */
export interface KeptThread<Ready> {
  /** Starts it, if it does not live. Brings its first word; rejects with what has ended it before that. */
  ready(): Promise<Ready>;
  /** The answer to one question. One is asked at a time. Rejects with what has ended the thread meanwhile. */
  ask<Answer>(question: unknown, given?: Transferable[]): Promise<Answer>;
  /** Has it end once it has answered what it was asked. */
  leave(): Promise<void>;
}

/** `of`: what the thread is for, as its end is told of ("the network"). */
export function keepThread<Ready>(start: () => Worker, of: string): KeptThread<Ready> {
  let thread: { readonly worker: Worker; readonly ready: Promise<Ready>; readonly ended: Promise<void> } | undefined;

  const living = () => {
    if (thread) return thread;
    const worker = start();
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    const here = { worker, ready: said<Ready>(worker, of), ended };
    thread = here;
    const leave = () => {
      if (thread === here) thread = undefined;
    };
    // Before its question hears of it: the next one must not be sent to a thread that is already dying.
    worker.once('error', leave).once('exit', leave);
    return here;
  };

  return {
    ready: async () => living().ready,
    async ask<Answer>(question: unknown, given: Transferable[] = []) {
      const { worker, ready } = living();
      await ready;
      const answer = said<Answer>(worker, of);
      worker.postMessage(question, given);
      return answer;
    },
    async leave() {
      thread?.worker.postMessage('leave');
      await thread?.ended;
    },
  };
}

/** The next thing that the thread says; rejects when it dies instead. */
export function said<T>(worker: Worker, of: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
    };
    const onMessage = (message: T) => {
      end();
      resolve(message);
    };
    const onError = (error: unknown) => {
      end();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const onExit = () => {
      end();
      reject(new Error(`The thread of ${of} ended.`));
    };
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
  });
}
