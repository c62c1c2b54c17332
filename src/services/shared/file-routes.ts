import { Type } from 'typebox';
import {
  badRequest,
  payloadTooLarge,
  queueUnavailable,
  quotaExceeded,
  unsupportedFile,
  validationError,
} from '../../base/api-error.ts';
import { StorageUnavailable } from '../../base/files/storage-unavailable.ts';
import { FileTooLarge } from '../../base/files.ts';
import { unixSeconds } from '../../base/time.ts';
import { describeErrors, describeResponse, Success, success } from '../../http/envelope.ts';
import type { Gateway } from '../../http/gateway.ts';
import { acceptUploads, readUpload } from '../../http/upload.ts';
import type { FileType } from './file-type.ts';
import { keepFilesIfCommitted } from './keep-files-if-committed.ts';
import { type SandboxInputReader, sandboxUrl } from './sandbox/accept.ts';
import type { GatewayContext, SharedSettings } from './service.ts';
import { createUploadsInProgress } from './uploads-in-progress.ts';

const Uploaded = Success(
  Type.Object({
    url: Type.String({
      format: 'uri',
      description: 'The URL to pass in a task request. It cannot be fetched by clients.',
    }),
    size_bytes: Type.Integer(),
    content_type: Type.String({ description: 'The type detected from the bytes; the declared type is ignored.' }),
    expires_at: Type.String({ pattern: '^\\d{10,}$' }),
  }),
);

const BYTES = { type: 'string', format: 'binary' };
const BODIES = {
  'application/octet-stream': { schema: { ...BYTES, description: 'The file content. The declared type is ignored.' } },
  'multipart/form-data': { schema: { type: 'object', required: ['file'], properties: { file: BYTES } } },
};

/** `POST /files`, enabled by FILES_HOST. */
export async function fileRoutes(
  app: Gateway,
  deps: {
    context: Pick<GatewayContext, 'files' | 'uploads' | 'log'>;
    shared: Pick<SharedSettings, 'filesHost' | 'filesQuotaBytes' | 'resultTtlSeconds'>;
    sandboxInput: SandboxInputReader;
    type: FileType;
    exampleType: string;
  },
): Promise<void> {
  const { context, shared, sandboxInput, exampleType } = deps;
  const { maxBytes, sniff, expected } = deps.type;
  const { files, uploads } = context;
  const { filesHost, filesQuotaBytes: quotaBytes, resultTtlSeconds: ttlSeconds } = shared;
  if (filesHost === undefined) return;
  const inProgress = createUploadsInProgress();
  await app.register(async (scope) => {
    await acceptUploads(scope);
    scope.post(
      '/files',
      {
        config: { access: 'bearer', limited: true },
        bodyLimit: maxBytes,
        schema: {
          summary: 'Upload a file',
          description: `The raw bytes as the body, or one multipart part named \`file\`: ${expected}, at most ${maxBytes} bytes. Kept for the result retention period.`,
          operationId: 'uploadFile',
          tags: ['files'],
          shown: { body: { content: BODIES } },
          response: {
            201: describeResponse('Stored.', Uploaded, {
              stored: uploaded(
                `https://${filesHost}/01KAF3M9WZ7Y5T2Q8C4N6B1D0E`,
                81_920,
                exampleType,
                new Date(1_767_225_600_000),
              ),
            }),
            400: describeErrors(badRequest()),
            413: describeErrors(payloadTooLarge(maxBytes)),
            415: describeErrors(unsupportedFile(expected)),
            422: describeErrors(validationError('The multipart body must contain one file, in a part named `file`.')),
            503: describeErrors(queueUnavailable(), new StorageUnavailable('it is full')),
          },
        },
      },
      async (request, reply) => {
        const { bytes, filename } = await readUpload(request, { maxBytes });
        const input = await sandboxInput(request.principal, 'file', filename ?? 'SUCCESS');
        if (input !== undefined) {
          const expiresAt = new Date(Date.now() + ttlSeconds * 1000);
          const sizeBytes = await countBytes(bytes);
          return reply.code(201).send(uploaded(sandboxUrl(input), sizeBytes, exampleType, expiresAt));
        }
        const declared = request.headers['content-length'];
        const counted = { principal: request.principal, bytes: declared === undefined ? maxBytes : Number(declared) };
        const { key, sizeBytes, contentType, expiresAt } = await inProgress.during(counted, async (otherBytes) => {
          // A multipart body has other bytes than those of the file.
          const leastBytes = request.isMultipart() ? 1 : Number(declared ?? 1);
          if (!(await uploads.hasRoom(request.principal, otherBytes + leastBytes, quotaBytes))) {
            throw quotaExceeded(quotaBytes);
          }
          const stored = await files.put(bytes, { maxBytes }).catch((error) => {
            throw error instanceof FileTooLarge ? payloadTooLarge(maxBytes) : error;
          });
          return keepFilesIfCommitted([stored.key], context, async () => {
            const { key, sizeBytes, head } = stored;
            const contentType = sniff(head);
            if (contentType === undefined) throw unsupportedFile(expected, sizeBytes === 0);
            const upload = { key, sizeBytes, contentType, principal: request.principal };
            const inserted = await uploads.insert(upload, { ttlSeconds, quotaBytes });
            if (!inserted) throw quotaExceeded(quotaBytes);
            return inserted;
          });
        });
        return reply.code(201).send(uploaded(`https://${filesHost}/${key}`, sizeBytes, contentType, expiresAt));
      },
    );
  });
}

const uploaded = (url: string, sizeBytes: number, contentType: string, expiresAt: Date) =>
  success({ url, size_bytes: sizeBytes, content_type: contentType, expires_at: unixSeconds(expiresAt) });

/** The file of a sandbox credential is not stored. */
async function countBytes(bytes: AsyncIterable<Buffer>): Promise<number> {
  let count = 0;
  for await (const chunk of bytes) count += chunk.length;
  return count;
}
