import { AudioRefused } from './refused.ts';

/**
 * The same pieces; but when one is waited for longer than `stallMs`, the recording is refused as corrupt: its file was made,
 * or broken, so that reading it does not end. Time in which nobody asks for a piece does not count.
 */
export async function* patient<T>(pieces: AsyncIterable<T>, stallMs: number): AsyncGenerator<T> {
  const iterator = pieces[Symbol.asyncIterator]();
  let stalled = false;
  try {
    for (;;) {
      const turn = await within(iterator.next(), stallMs, () => {
        stalled = true;
        return new AudioRefused('corrupt', 'The recording cannot be decoded in a reasonable time.');
      });
      if (turn.done) return;
      yield turn.value;
    }
  } finally {
    // A source that hangs would not hear of its end before it has given its piece: whoever owns it kills it.
    if (!stalled) await iterator.return?.();
  }
}

async function within<T>(answer: Promise<T>, limitMs: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), limitMs);
  });
  try {
    return await Promise.race([answer, limit]);
  } finally {
    clearTimeout(timer);
  }
}
