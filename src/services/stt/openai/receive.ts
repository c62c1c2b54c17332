import type { FastifyRequest } from 'fastify';
import { payloadTooLarge } from '../../../base/api-error.ts';
import { type Files, FileTooLarge, type StoredFile } from '../../../base/files.ts';
import { AUDIO_MEDIA_TYPES, sniffAudio } from '../../../base/sniff-audio.ts';
import { uploadParts } from '../../../http/upload-parts.ts';
import type { SandboxInputReader } from '../../shared/sandbox/accept.ts';
import { AUDIO_FORMATS } from '../failures.ts';
import { AUDIO_MAX_BYTES } from '../url-policy.ts';
import { invalidValue, missingField } from './errors.ts';
import { createOptionReader, type TranscriptionOptions } from './options.ts';

export interface Received {
  readonly file: StoredFile;
  readonly contentType: string;
  readonly options: TranscriptionOptions;
  readonly translate: boolean;
  /** The documented input, of a sandbox credential. */
  readonly sandbox: string | undefined;
}

/** The second file is rejected below, in OpenAI's way. */
const LIMITS = { maxFiles: 2, maxFileBytes: AUDIO_MAX_BYTES, maxTotalBytes: AUDIO_MAX_BYTES };

/** Reads a multipart request and stores its file, or throws and leaves nothing. */
export async function receive(
  request: FastifyRequest,
  deps: { files: Files; sandboxInput: SandboxInputReader; models: readonly string[]; translate: boolean },
): Promise<Received> {
  const { files, sandboxInput, models, translate } = deps;
  const reader = createOptionReader({ models, translate });
  let file: StoredFile | undefined;
  let sandboxName: string | undefined;
  let parts = 0;
  try {
    for await (const part of uploadParts(request, LIMITS)) {
      if (part.kind === 'field') reader.add(part.name, part.value);
      else if (++parts > 1) throw invalidValue('file', 'A request must contain exactly one file.');
      else if (part.name === 'file') {
        sandboxName = await sandboxInput(request.principal, 'file', part.filename);
        file = await files.put(part.bytes, { maxBytes: AUDIO_MAX_BYTES });
      }
    }
    if (file === undefined) throw missingField('file', '`file` is required, as a part with a file name.');
    if (file.sizeBytes === 0) throw invalidValue('file', 'The file is empty.');
    const type = sandboxName === undefined ? sniffAudio(file.head) : 'mp3';
    if (type === undefined) throw invalidValue('file', `Unsupported audio format. Use one of: ${AUDIO_FORMATS}.`);
    return { file, contentType: AUDIO_MEDIA_TYPES[type], options: reader.finish(), translate, sandbox: sandboxName };
  } catch (error) {
    if (file !== undefined) await files.remove(file.key).catch(() => {});
    throw error instanceof FileTooLarge ? payloadTooLarge(AUDIO_MAX_BYTES) : error;
  }
}
