import { once } from 'node:events';
import { startThread } from '../base/programs.ts';
import { createGate } from './gate.ts';
import type { Heic, HeicOptions } from './heic-thread.ts';

// One photo may take half a gigabyte while it is decoded.
const alone = createGate(1);

/**
 * Decodes the primary picture of a HEIC file, one file at a time, each in a thread of its own that ends with it: so it
 * can be stopped, gives all its memory back, and no file meets what another one has left behind. The file's own turns
 * are followed; EXIF has no say in HEIF.
 */
export function decodeHeic(
  file: Uint8Array,
  { maxPixels, limitMs, signal }: { maxPixels: number; limitMs: number; signal?: AbortSignal | undefined },
): Promise<Heic> {
  return alone(async () => {
    signal?.throwIfAborted();
    const limit = AbortSignal.timeout(limitMs);
    const stop = signal ? AbortSignal.any([signal, limit]) : limit;
    const thread = startThread('./heic-thread', import.meta.url, {
      workerData: { file, maxPixels } satisfies HeicOptions,
    });
    try {
      const [answer] = (await Promise.race([
        once(thread, 'message', { signal: stop }),
        once(thread, 'exit', { signal: stop }).then(() => [{ problem: 'corrupt' }]),
      ])) as [Heic];
      return answer;
    } catch {
      signal?.throwIfAborted();
      return { problem: limit.aborted ? 'too_slow' : 'corrupt' };
    } finally {
      await thread.terminate();
    }
  });
}
