import { Type } from 'typebox';
import {
  badRequest,
  payloadTooLarge,
  queueUnavailable,
  quotaExceeded,
  unsupportedMediaType,
  validationError,
} from '../base/faults.ts';
import { StorageAway } from '../base/files/storage-away.ts';
import { FileTooLarge } from '../base/files.ts';
import { unixSeconds } from '../base/time.ts';
import { reply as answer, refusal, Success, success } from '../http/envelope.ts';
import type { Gateway } from '../http/gateway.ts';
import { acceptUploads, readUpload } from '../http/upload.ts';
import type { GatewayHouse, SharedSettings } from './service.ts';
import { writeDown } from './write-down.ts';

const Uploaded = Success(
  Type.Object({
    url: Type.String({ format: 'uri', description: 'What a task may name; nobody can fetch it from outside.' }),
    size_bytes: Type.Integer(),
    content_type: Type.String({ description: 'What the bytes are, whatever was declared.' }),
    expires_at: Type.String({ pattern: '^\\d{10,}$' }),
  }),
);

const BYTES = { type: 'string', format: 'binary' };
const BODIES = {
  'application/octet-stream': { schema: { ...BYTES, description: 'The bytes; any declared type will do.' } },
  'multipart/form-data': { schema: { type: 'object', required: ['file'], properties: { file: BYTES } } },
};

/** `POST /files`, where FILES_HOST is set: a newcomer has no object storage at hand, and tasks take references. */
export async function fileRoutes(
  app: Gateway,
  needs: {
    house: Pick<GatewayHouse, 'files' | 'uploads' | 'log'>;
    shared: Pick<SharedSettings, 'filesHost' | 'filesQuotaBytes' | 'resultTtlSeconds'>;
    maxBytes: number;
    /** The type that the first bytes show, or undefined for what the service cannot use. */
    sniff: (head: Buffer) => string | undefined;
    /** For the refusal: what the body must be. */
    wanted: string;
    /** For the description: a type that `sniff` may answer. */
    exampleType: string;
  },
): Promise<void> {
  const { house, shared, maxBytes, sniff, wanted, exampleType } = needs;
  const { files, uploads } = house;
  const { filesHost, filesQuotaBytes: quotaBytes, resultTtlSeconds: ttlSeconds } = shared;
  if (filesHost === undefined) return;
  await app.register(async (scope) => {
    await acceptUploads(scope);
    scope.post(
      '/files',
      {
        config: { access: 'bearer', limited: true },
        bodyLimit: maxBytes,
        schema: {
          summary: 'Upload a file that a task can name',
          description: `The raw bytes as the body, or one multipart part named \`file\`: ${wanted}, at most ${maxBytes} bytes. Kept as long as a result.`,
          operationId: 'uploadFile',
          tags: ['files'],
          shown: { body: { content: BODIES } },
          response: {
            201: answer('Stored.', Uploaded, {
              stored: success({
                url: `https://${filesHost}/01KAF3M9WZ7Y5T2Q8C4N6B1D0E`,
                size_bytes: 81_920,
                content_type: exampleType,
                expires_at: '1767225600',
              }),
            }),
            400: refusal(badRequest()),
            413: refusal(payloadTooLarge(maxBytes)),
            415: refusal(unsupportedMediaType(wanted)),
            422: refusal(validationError('The multipart body must contain one file, in a part named `file`.')),
            503: refusal(queueUnavailable(), new StorageAway('it is full')),
          },
        },
      },
      async (request, reply) => {
        const bytes = await readUpload(request, { maxBytes });
        const stored = await files.put(bytes, { maxBytes }).catch((error) => {
          throw error instanceof FileTooLarge ? payloadTooLarge(maxBytes) : error;
        });
        const { key, sizeBytes, head } = stored;
        const { contentType, expiresAt } = await writeDown([key], house, async () => {
          const contentType = sniff(head);
          if (contentType === undefined) throw unsupportedMediaType(wanted);
          const upload = { key, sizeBytes, contentType, principal: request.principal };
          const kept = await uploads.keep(upload, { ttlSeconds, quotaBytes });
          if (!kept) throw quotaExceeded(quotaBytes);
          return kept;
        });
        return reply.code(201).send(
          success({
            url: `https://${filesHost}/${key}`,
            size_bytes: sizeBytes,
            content_type: contentType,
            expires_at: unixSeconds(expiresAt),
          }),
        );
      },
    );
  });
}
