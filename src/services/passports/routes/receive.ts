import type { FastifyRequest } from 'fastify';
import { type ApiError, payloadTooLarge, queueUnavailable } from '../../../base/api-error.ts';
import { type Files, FileTooLarge, type StoredFile } from '../../../base/files.ts';
import { type FilePart, type UploadLimits, uploadParts } from '../../../http/upload-parts.ts';
import { InvalidInput, missingField } from '../../../http/validation-details.ts';
import { readGrouping } from '../../shared/grouping.ts';
import { csrfFailed } from '../../shared/same-site.ts';
import { emptyFile, fileTooLarge, quotaExceeded, storageUnavailable } from '../api-errors.ts';
import { sanitizeDisplayName } from '../display-name.ts';

export const MEBIBYTE = 1024 * 1024;

export interface StoredUpload {
  readonly filename: string;
  readonly stored: StoredFile;
}

interface Rejection {
  readonly filename: string;
  readonly error: ApiError;
}

/**
 * Rejects files for which `check` returns an error. Throws {@link InvalidInput} without a file, and the first rejection
 * if no file is left. Deletes the stored files on any error.
 */
export async function receiveUpload(
  request: FastifyRequest,
  options: {
    files: Files;
    limits: UploadLimits;
    fallbackName: string;
    sizeWords: string;
    check: (file: StoredUpload) => Promise<ApiError | undefined>;
  },
) {
  const { files, limits, fallbackName, check } = options;
  const accepted: StoredUpload[] = [];
  const rejected: Rejection[] = [];
  const fields = new Map<string, string>();
  // For the page of an error.
  request.body = fields;
  const tags: string[] = [];
  /** Deletes all stored files, or these. */
  const discard = async (selected: readonly StoredUpload[] = accepted) => {
    await Promise.all(selected.map(({ stored }) => files.remove(stored.key)));
  };

  async function receiveFile(part: FilePart): Promise<void> {
    const filename = sanitizeDisplayName(part.filename, fallbackName);
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
      if (part.kind === 'field') {
        fields.set(part.name, part.value);
        if (part.name === 'tag') tags.push(part.value);
        // Of a form; empty if it is not filled in.
        if (part.name === 'tags') tags.push(...part.value.split(',').filter((tag) => tag.trim() !== ''));
      } else if (part.name === 'files' || part.name === 'file') await receiveFile(part);
    }
    if (accepted.length === 0) throw rejected[0]?.error ?? new InvalidInput([missingField(['body', 'files'])]);
  } catch (error) {
    await discard();
    throw error;
  }
  return { files: accepted, rejected, fields, tags, discard };
}

/** Throws {@link InvalidInput} that names the invalid field. */
export const groupingFrom = (body: Parameters<typeof readGrouping>[0]) =>
  readGrouping(body, (field, message) => {
    const msg = `${field}: ${message}`;
    return new InvalidInput([{ loc: ['body', field], msg, type: 'value_error' }]);
  });

export const rejections = ({ rejected }: { rejected: readonly Rejection[] }) =>
  rejected.map(({ filename, error: { code, message } }) => ({ filename, error: { code, message } }));

async function store(files: Files, part: FilePart, maxBytes: number): Promise<StoredFile | 'too-large'> {
  try {
    return await files.put(part.bytes, { maxBytes });
  } catch (error) {
    if (error instanceof FileTooLarge) return 'too-large';
    throw error;
  }
}

/** Errors of routes that store files. */
export const storageErrors = () => [csrfFailed(), quotaExceeded(), storageUnavailable(), queueUnavailable()];

export const uploadErrors = ({ maxTotalBytes }: UploadLimits, sizeWords: string) => [
  ...[emptyFile(), fileTooLarge(sizeWords), payloadTooLarge(maxTotalBytes)],
  ...storageErrors(),
];

/** The OpenAPI description of a multipart body. */
export const multipartBody = (files: string, fields: object = {}) => ({
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        required: ['files'],
        properties: {
          files: { type: 'array', items: { type: 'string', format: 'binary' }, description: files },
          ...fields,
        },
      },
    },
  },
});
