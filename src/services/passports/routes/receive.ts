import type { FastifyRequest } from 'fastify';
import type { Fault } from '../../../base/faults.ts';
import { type Files, FileTooLarge, type StoredFile } from '../../../base/files.ts';
import { InvalidInput, missing } from '../../../http/details.ts';
import { type FilePart, type UploadLimits, uploadParts } from '../../../http/upload-parts.ts';
import { displayName } from '../names.ts';
import { emptyFile, fileTooLarge } from '../refusals.ts';

/** A file of a request that lies in the file store now. */
export interface Received {
  readonly filename: string;
  readonly stored: StoredFile;
}

/** What a request brought: files that are kept, files that are not and why, and its other fields. */
export interface Delivery {
  readonly files: readonly Received[];
  readonly rejected: readonly { filename: string; fault: Fault }[];
  readonly fields: ReadonlyMap<string, string>;
  /** Takes back what was stored, or these of it: nobody was told of them. */
  discard(these?: readonly Received[]): Promise<void>;
}

/**
 * Streams the files of a request into the file store. `check` says what a file is not fit for; that one is rejected and
 * the others go on. A request without a file part is {@link InvalidInput}; when none of its files is fit, the first
 * rejection is thrown. Whatever is thrown, nothing stays behind.
 */
export async function receive(
  request: FastifyRequest,
  needs: {
    files: Files;
    limits: UploadLimits;
    fallbackName: string;
    sizeWords: string;
    check: (file: Received) => Promise<Fault | undefined>;
  },
): Promise<Delivery> {
  const { files, limits, fallbackName, check } = needs;
  const kept: Received[] = [];
  const rejected: { filename: string; fault: Fault }[] = [];
  const fields = new Map<string, string>();
  const discard = async (these: readonly Received[] = kept) => {
    await Promise.all(these.map(({ stored }) => files.remove(stored.key)));
  };

  async function take(part: FilePart): Promise<void> {
    const filename = displayName(part.filename, fallbackName);
    const stored = await keep(files, part, limits.maxFileBytes);
    if (stored === 'too-large') {
      rejected.push({ filename, fault: fileTooLarge(needs.sizeWords) });
      return;
    }
    // A browser sends this where nobody chose a file.
    if (stored.sizeBytes === 0 && part.filename === '') return files.remove(stored.key);
    const file = { filename, stored };
    kept.push(file);
    const fault = stored.sizeBytes === 0 ? emptyFile() : await check(file);
    if (fault === undefined) return;
    kept.pop();
    rejected.push({ filename, fault });
    await files.remove(stored.key);
  }

  try {
    for await (const part of uploadParts(request, limits)) {
      if (part.kind === 'field') fields.set(part.name, part.value);
      else if (part.name === 'files' || part.name === 'file') await take(part);
    }
    if (kept.length === 0) throw rejected[0]?.fault ?? new InvalidInput([missing(['body', 'files'])]);
  } catch (error) {
    await discard();
    throw error;
  }
  return { files: kept, rejected, fields, discard };
}

/** Rejections as the answer tells them. */
export const rejections = ({ rejected }: Delivery) =>
  rejected.map(({ filename, fault }) => ({ filename, error: { code: fault.code, message: fault.message } }));

async function keep(files: Files, part: FilePart, maxBytes: number): Promise<StoredFile | 'too-large'> {
  try {
    return await files.put(part.bytes, { maxBytes });
  } catch (error) {
    if (error instanceof FileTooLarge) return 'too-large';
    throw error;
  }
}
