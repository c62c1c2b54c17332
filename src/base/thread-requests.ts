import type { EventEmitter } from 'node:events';
import { parentPort, type Transferable, type Worker } from 'node:worker_threads';

type Reply<Answer> = { readonly answer: Answer } | { readonly error: string };

/**
 * Answers each message of the parent with the result or the error of `handle`. The message `close` ends the thread
 * between two requests: terminating a thread during a network run crashes the process.
 */
export function serveRequests<Request, Answer>(
  handle: (request: Request) => Answer | Promise<Answer>,
  transferListOf: (answer: Answer) => Transferable[] = () => [],
): void {
  const respond = async (request: Request) => {
    try {
      const answer = await handle(request);
      parentPort!.postMessage({ answer } satisfies Reply<Answer>, transferListOf(answer));
    } catch (error) {
      parentPort!.postMessage({ error: error instanceof Error ? error.message : String(error) });
    }
  };
  parentPort!.on('message', (message: Request | 'close') => {
    if (message === 'close') parentPort!.close();
    else void respond(message);
  });
}

/** Sends a request and returns the answer. The caller sends one at a time. `of` names the thread's task in errors. */
export async function requestAnswer<Answer>(
  worker: Worker,
  of: string,
  message: unknown,
  transfer: Transferable[] = [],
): Promise<Answer> {
  worker.postMessage(message, transfer);
  // The answer arrives later, as an event.
  const reply = await nextMessage<Reply<Answer>>(worker, of);
  if ('error' in reply) throw new Error(reply.error);
  return reply.answer;
}

/** The thread's next message; rejects if the thread fails or ends first. */
export function nextMessage<T>(worker: Worker, of: string): Promise<T> {
  return firstMessage<T>(worker, () => {
    throw new Error(`The thread of ${of} ended.`);
  });
}

/**
 * The next message of a thread or process, or what `onExit` returns or throws if it exits first. Rejects with its error, or
 * the reason of `signal`, which has not aborted yet.
 */
export function firstMessage<T>(
  from: EventEmitter,
  onExit: (code: number | null, by: NodeJS.Signals | null) => T,
  signal?: AbortSignal,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const settle = (result: () => T) => {
      from.off('message', onMessage).off('exit', exited).off('error', failed);
      signal?.removeEventListener('abort', aborted);
      try {
        resolve(result());
      } catch (error) {
        reject(error);
      }
    };
    const onMessage = (message: T) => settle(() => message);
    const exited = (code: number | null, by: NodeJS.Signals | null) => settle(() => onExit(code, by));
    const failed = (error: Error) =>
      settle(() => {
        throw error;
      });
    const aborted = () => failed(signal!.reason as Error);
    from.on('message', onMessage).on('exit', exited).on('error', failed);
    signal?.addEventListener('abort', aborted);
  });
}
