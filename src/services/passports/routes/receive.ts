import type { FastifyRequest } from 'fastify';
import type { Fault } from '../../../base/faults.ts';
import { type Files, FileTooLarge, type StoredFile } from '../../../base/files.ts';
import { InvalidInput, missing } from '../../../http/details.ts';
import { type FilePart, type UploadLimits, uploadParts } from '../../../http/upload-parts.ts';
import { displayName } from '../names.ts';
import { emptyFile, fileTooLarge } from '../refusals.ts';

export interface Received {
  readonly filename: string;
  readonly stored: StoredFile;
}

export interface Delivery {
  readonly files: readonly Received[];
  readonly rejected: readonly { filename: string; error: Fault }[];
  readonly fields: ReadonlyMap<string, string>;
  /** Deletes all stored files, or these. */
  discard(selected?: readonly Received[]): Promise<void>;
}

/**
 * Rejects files for which `check` returns an error. Throws {@link InvalidInput} without a file, and the first rejection
 * if no file is left. Deletes the stored files on any error.
 */
export async function receive(
  request: FastifyRequest,
  options: {
    files: Files;
    limits: UploadLimits;
    fallbackName: string;
    sizeWords: string;
    check: (file: Received) => Promise<Fault | undefined>;
  },
): Promise<Delivery> {
  const { files, limits, fallbackName, check } = options;
  const accepted: Received[] = [];
  const rejected: { filename: string; error: Fault }[] = [];
  const fields = new Map<string, string>();
  const discard = async (selected: readonly Received[] = accepted) => {
    await Promise.all(selected.map(({ stored }) => files.remove(stored.key)));
  };

  async function receiveFile(part: FilePart): Promise<void> {
    const filename = displayName(part.filename, fallbackName);
    const stored = await store(files, part, limits.maxFileBytes);
    if (stored === 'too-large') {
      rejected.push({ filename, error: fileTooLarge(options.sizeWords) });
      return;
    }
    // Browsers send this for an empty file input.
    if (stored.sizeBytes === 0 && part.filename === '') return files.remove(stored.key);
    const file = { filename, stored };
    accepted.push(file);
    const error = stored.sizeBytes === 0 ? emptyFile() : await check(file);
    if (error === undefined) return;
    accepted.pop();
    rejected.push({ filename, error });
    await files.remove(stored.key);
  }

  try {
    for await (const part of uploadParts(request, limits)) {
      if (part.kind === 'field') fields.set(part.name, part.value);
      else if (part.name === 'files' || part.name === 'file') await receiveFile(part);
    }
    if (accepted.length === 0) throw rejected[0]?.error ?? new InvalidInput([missing(['body', 'files'])]);
  } catch (error) {
    await discard();
    throw error;
  }
  return { files: accepted, rejected, fields, discard };
}

export const rejections = ({ rejected }: Delivery) =>
  rejected.map(({ filename, error }) => ({ filename, error: { code: error.code, message: error.message } }));

async function store(files: Files, part: FilePart, maxBytes: number): Promise<StoredFile | 'too-large'> {
  try {
    return await files.put(part.bytes, { maxBytes });
  } catch (error) {
    if (error instanceof FileTooLarge) return 'too-large';
    throw error;
  }
}
