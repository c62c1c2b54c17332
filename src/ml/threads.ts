import type { Worker } from 'node:worker_threads';
import { said } from './kept-thread.ts';

/** Threads that do one kind of work, as many as there is work at a time; each is kept for what comes next. */
export interface Threads {
  /**
   * What a thread answers to the question. Rejects with what has ended the thread meanwhile, or, where `signal` aborts,
   * with its reason: the thread is ended then, whatever it is doing.
   */
  ask<Answer>(question: unknown, signal: AbortSignal): Promise<Answer>;
  /** Ends all of them, whatever they are doing. */
  close(): Promise<void>;
}

/** `start`: makes a thread that answers each message by one; `of`: what it is for, as its end is told of ("the cleaner"). */
export function openThreads(start: () => Worker, of: string): Threads {
  /** Those that live, and are to go on. */
  const all = new Set<Worker>();
  const idle = new Set<Worker>();

  const forget = (thread: Worker) => {
    idle.delete(thread);
    all.delete(thread);
  };

  const begin = () => {
    const thread = start();
    all.add(thread);
    // Who waits for it is told by `said`; without a listener an idle one's death would be the process's.
    return thread.on('error', () => forget(thread)).once('exit', () => forget(thread));
  };

  return {
    async ask<Answer>(question: unknown, signal: AbortSignal) {
      signal.throwIfAborted();
      const [thread = begin()] = idle;
      idle.delete(thread);
      const end = () => {
        forget(thread);
        void thread.terminate();
      };
      signal.addEventListener('abort', end);
      try {
        const answer = said<Answer>(thread, of);
        thread.postMessage(question);
        return await answer;
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      } finally {
        signal.removeEventListener('abort', end);
        if (all.has(thread)) idle.add(thread);
      }
    },
    async close() {
      await Promise.all([...all].map((thread) => thread.terminate()));
    },
  };
}
