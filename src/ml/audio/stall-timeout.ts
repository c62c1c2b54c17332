import { AudioError } from './audio-error.ts';

/**
 * Forwards chunks. Throws `AudioError` when the source takes longer than `stallMs` for one: the file may be crafted to
 * keep its decoder busy. Time between reads does not count.
 */
export async function* withStallTimeout<T>(pieces: AsyncIterable<T>, stallMs: number): AsyncGenerator<T> {
  const iterator = pieces[Symbol.asyncIterator]();
  let stalled = false;
  try {
    for (;;) {
      const result = await withTimeout(iterator.next(), stallMs, () => {
        stalled = true;
        return new AudioError('corrupt', 'The recording cannot be decoded in a reasonable time.');
      });
      if (result.done) return;
      yield result.value;
    }
  } finally {
    // A stalled source cannot return; its owner terminates it.
    if (!stalled) await iterator.return?.();
  }
}

async function withTimeout<T>(promise: Promise<T>, limitMs: number, onTimeout: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(onTimeout()), limitMs);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}
