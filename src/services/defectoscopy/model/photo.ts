import { step } from '../../../base/trace.ts';
import { decodePhoto, type Photo, PhotoError, type PhotoProblem } from '../../../ml/image.ts';
import { type Failure, TaskFailure } from '../../../tasks/task.ts';
import type { FileSource } from '../../shared/stored-file.ts';
import { FAILURES } from '../failures.ts';
import { readPhoto } from '../photo-bytes.ts';

/** Throws a `TaskFailure`. */
export async function downloadPhoto(url: string, source: FileSource, signal: AbortSignal): Promise<Buffer> {
  const bytes = await step('download', () => readPhoto(url, source, signal));
  signal.throwIfAborted();
  return bytes;
}

/** Resizes to `size` without keeping the aspect ratio; throws a `TaskFailure`. */
export function openPhoto(bytes: Buffer, size: { width: number; height: number }, signal: AbortSignal): Promise<Photo> {
  // Decoding cannot always be interrupted; it has its own limits. The attempt stops waiting for it.
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
  return step('decode', () => Promise.race([decodePhoto(bytes, size, signal).catch(failDecoding), aborted]));
}

function failDecoding(error: unknown): never {
  if (!(error instanceof PhotoError)) throw error;
  throw new TaskFailure(DECODING[error.problem], { cause: error });
}

const DECODING: Record<PhotoProblem, Failure> = {
  unsupported: FAILURES.unsupported,
  no_hevc: FAILURES.noHevc,
  corrupt: FAILURES.corrupt,
  too_large: FAILURES.tooManyPixels,
  too_slow: FAILURES.decodingTooSlow,
};
