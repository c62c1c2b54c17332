import pLimit from 'p-limit';
import { nextMessage } from '../base/thread-requests.ts';
import { withTimeLimit } from '../base/time-limit.ts';
import { startThread } from '../base/worker-entry.ts';
import type { HeicOptions, HeicResult } from './heic-thread.ts';
import { unlessAborted } from './unless-aborted.ts';

// A photo of 48 megapixels takes 650 MB during decoding.
const oneAtATime = pLimit(1);

/**
 * Decodes the primary image of a HEIC file, one file at a time, each in its own thread, which can be terminated and
 * frees its memory. Applies the file's rotation; EXIF orientation does not apply to HEIF.
 */
export function decodeHeic(
  file: Uint8Array,
  { maxPixels, limitMs, signal }: { maxPixels: number; limitMs: number; signal?: AbortSignal | undefined },
): Promise<HeicResult> {
  return oneAtATime(async () => {
    signal?.throwIfAborted();
    const thread = startThread('./heic-thread', import.meta.url, {
      workerData: { file, maxPixels } satisfies HeicOptions,
    });
    try {
      const decoded = nextMessage<HeicResult>(thread, 'the HEIC decoder');
      return await withTimeLimit(limitMs, signal, (limited) =>
        unlessAborted(decoded, limited).catch((): HeicResult => {
          signal?.throwIfAborted();
          return { problem: limited.aborted ? 'too_slow' : 'corrupt' };
        }),
      );
    } finally {
      await thread.terminate();
    }
  });
}
