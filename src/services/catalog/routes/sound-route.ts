import { hash } from 'node:crypto';
import type { Static } from 'typebox';
import type { Files } from '../../../base/files.ts';
import { AUDIO_MEDIA_TYPES, SNIFFED_BYTES, sniffAudio } from '../../../base/sniff-audio.ts';
import { describeErrors, notModified } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { rangeNotSatisfiable, recordHasNoSound, soundNotFound } from '../api-errors.ts';
import { RecordParams } from '../api-schema.ts';
import { isModerator } from '../auth/auth-guard.ts';
import type { Media } from '../media.ts';
import { bytesResponses, sendBytes } from './send-bytes.ts';

/** Available until the upload expires. */
export function soundRoute(app: Gateway, { media, files }: { media: Media; files: Files }): void {
  app.get<{ Params: Static<typeof RecordParams> }>(
    '/sound/:record_id',
    {
      config: { access: 'bearer' },
      schema: {
        summary: 'Get the recording of a record',
        description: 'Available until the upload expires together with its task.',
        operationId: 'recordSound',
        tags: ['search'],
        params: RecordParams,
        response: {
          ...bytesResponses('The recording.', [...new Set(Object.values(AUDIO_MEDIA_TYPES))]),
          304: notModified,
          404: describeErrors(soundNotFound(), recordHasNoSound()),
          416: describeErrors(rangeNotSatisfiable(1000)),
        },
      },
    },
    async (request, reply) => {
      const row = await media.soundKey(request.params.record_id);
      if (!row?.content || (row.hidden && !isModerator(request))) throw recordHasNoSound();
      const key = row.content;
      const head = await headOf(files, key);
      const kind = head && sniffAudio(head.bytes);
      if (head === undefined || kind === undefined) throw soundNotFound();
      return sendBytes(request, reply, {
        type: AUDIO_MEDIA_TYPES[kind],
        size: head.size,
        // Files are immutable; hashed, because a key gives access to the file.
        etag: `"${hash('sha256', key, 'base64url').slice(0, 22)}"`,
        caching: 'private, no-cache',
        async open(part) {
          const file = await files.stream(key, part);
          if (file === undefined) throw soundNotFound();
          return file.stream;
        },
      });
    },
  );
}

async function headOf(files: Files, key: string): Promise<{ bytes: Buffer; size: number } | undefined> {
  const file = await files.stream(key, { start: 0, end: SNIFFED_BYTES - 1 });
  if (file === undefined) return undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of file.stream) chunks.push(chunk as Buffer);
  return { bytes: Buffer.concat(chunks), size: file.sizeBytes };
}
