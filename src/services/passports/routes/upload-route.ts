import { hash } from 'node:crypto';
import { idempotencyInProgress, payloadTooLarge, queueUnavailable } from '../../../base/faults.ts';
import type { Files } from '../../../base/files.ts';
import { wantsJson } from '../../../http/accept.ts';
import { InvalidInput } from '../../../http/details.ts';
import { reply as answer, refusal } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { acceptUploads } from '../../../http/upload.ts';
import type { Replies } from '../../replies.ts';
import type { Door } from '../auth/door.ts';
import { type Document, type Documents, principalOf } from '../documents.ts';
import { givenName } from '../names.ts';
import { csrfFailed, emptyFile, fileTooLarge, notADocument, quotaExceeded, storageUnavailable } from '../refusals.ts';
import { Uploaded } from '../schema-http.ts';
import { taskItem } from '../wire.ts';
import { createDocuments } from './create-documents.ts';
import { type Received, receive, rejections } from './receive.ts';

const MEBIBYTE = 1024 * 1024;
export const PDF_LIMITS = { maxFiles: 20, maxFileBytes: 50 * MEBIBYTE, maxTotalBytes: 200 * MEBIBYTE };
const SIZE = '50 MiB';

const FILES = { type: 'array', items: { type: 'string', format: 'binary' } };
const BODY = {
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        required: ['files'],
        properties: {
          files: { ...FILES, description: 'PDF files; what they are is decided by their bytes.' },
          name: { type: 'string', description: 'The display name, where one file is sent.' },
        },
      },
    },
  },
};

/** `POST /upload`: PDF files become documents, all that are fit or none. */
export async function uploadRoute(
  app: Gateway,
  needs: {
    door: Door;
    replies: Replies;
    documents: Documents;
    files: Files;
    /** What a repeated file is recognised by. */
    cacheKey: (contentHash: string) => string;
  },
): Promise<void> {
  const { door, replies, documents, files, cacheKey } = needs;
  await app.register(async (scope) => {
    await acceptUploads(scope);
    scope.removeContentTypeParser('*');
    scope.post(
      '/upload',
      {
        config: { access: 'visitor', page: true, takes: 'multipart/form-data' },
        bodyLimit: PDF_LIMITS.maxTotalBytes,
        schema: {
          summary: 'Upload PDF files',
          description:
            'Each file that is a PDF becomes a task; the others are named in `rejected`. A browser that has no session is given one. With `Accept: application/json` the answer is JSON, otherwise a redirect to `/`.',
          operationId: 'upload',
          tags: ['documents'],
          shown: {
            body: BODY,
            headers: { 'Idempotency-Key': 'The same key with the same files makes no second tasks for 24 hours.' },
          },
          response: {
            200: answer('Every file was known already.', Uploaded),
            202: answer('Queued.', Uploaded),
            303: { description: 'To `/`, for forms.', type: 'null' },
            400: refusal(emptyFile()),
            403: refusal(csrfFailed()),
            409: refusal(idempotencyInProgress()),
            413: refusal(fileTooLarge(SIZE), payloadTooLarge(PDF_LIMITS.maxTotalBytes), quotaExceeded()),
            415: refusal(notADocument('a PDF')),
            503: refusal(storageUnavailable(), queueUnavailable()),
          },
        },
      },
      async (request, reply) => {
        const check = async (file: Received) => (isPdf(file.stored.head) ? undefined : notADocument('a PDF'));
        const delivery = await receive(request, {
          ...{ files, check, limits: PDF_LIMITS },
          fallbackName: 'document.pdf',
          sizeWords: SIZE,
        });
        let owned = false;
        try {
          door.checkForm(request, delivery.fields);
          const names = namesOf(delivery.files, delivery.fields);
          const caller = await door.admit(request, reply);
          const fingerprint = fingerprintOf(delivery.files, names);
          const asked = { principal: principalOf(caller), fingerprint, onReplay: () => delivery.discard() };
          const answerOf = (created: readonly Document[]) => ({
            status: statusFor(created),
            body: { items: created.map(taskItem), total: created.length, rejected: rejections(delivery) },
          });
          const { status, body } = await replies.once(request, reply, asked, async (keep) => {
            owned = true;
            const brought = delivery.files.map(({ stored }, i) => ({
              filename: names[i]!,
              fileKey: stored.key,
              sizeBytes: stored.sizeBytes,
              cacheKey: cacheKey(stored.sha256),
            }));
            const created = await createDocuments(documents, request, caller, brought, (tx, made) =>
              keep(tx, answerOf(made)),
            );
            return answerOf(created);
          });
          if (wantsJson(request.headers.accept)) return await reply.code(status as 200 | 202).send(body);
          return await reply.redirect('/', 303);
        } catch (error) {
          // From `create` on the bytes are the store's.
          if (!owned) await delivery.discard();
          throw error;
        }
      },
    );
  });
}

/** Nothing is left to wait for when all was known already. */
const statusFor = (created: readonly Document[]) => (created.every(({ status }) => status === 'SUCCESS') ? 200 : 202);

/** The header may stand behind a few bytes that some program has put before it. */
const isPdf = (head: Buffer) => head.subarray(0, 1024 + 5).includes('%PDF-');

function namesOf(files: readonly Received[], fields: ReadonlyMap<string, string>): string[] {
  const name = fields.get('name');
  if (name === undefined || name === '') return files.map(({ filename }) => filename);
  if (files.length > 1) {
    throw new InvalidInput([{ loc: ['body', 'name'], msg: 'One name is for one file', type: 'value_error' }]);
  }
  return [givenName(name)];
}

const fingerprintOf = (files: readonly Received[], names: readonly string[]) =>
  hash('sha256', JSON.stringify(files.map(({ stored }, i) => [stored.sha256, names[i]])), 'hex');
