import { hash } from 'node:crypto';
import type { Static } from 'typebox';
import { idempotencyInProgress } from '../../../base/api-error.ts';
import type { Files } from '../../../base/files.ts';
import { sniffImage } from '../../../base/sniff.ts';
import { wantsJson } from '../../../http/accept-header.ts';
import { describeResponse, errorResponses } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { InvalidInput } from '../../../http/validation-details.ts';
import { type Grouping, groupingFields } from '../../shared/grouping.ts';
import type { IdempotencyStore } from '../../shared/idempotency-store.ts';
import { notADocument } from '../api-errors.ts';
import { Uploaded } from '../api-schema.ts';
import type { AuthGuard } from '../auth/auth-guard.ts';
import { parseDisplayName } from '../display-name.ts';
import { type Document, principalOf } from '../documents.ts';
import type { SendUploadResult } from '../pages/upload-result.tsx';
import { toTaskItem } from '../responses.ts';
import type { DocumentStore } from '../store/postgres.ts';
import { createDocuments } from './create-documents.ts';
import {
  groupingFrom,
  MEBIBYTE,
  multipartBody,
  receiveUpload,
  rejections,
  type StoredUpload,
  uploadErrors,
} from './receive.ts';

export const PDF_LIMITS = { maxFiles: 20, maxFileBytes: 50 * MEBIBYTE, maxTotalBytes: 200 * MEBIBYTE };
const SIZE = '50 MiB';

/** `POST /upload`. `app` accepts multipart bodies. */
export function uploadRoute(
  app: Gateway,
  deps: {
    authGuard: AuthGuard;
    replies: IdempotencyStore;
    documents: DocumentStore;
    files: Files;
    cacheKey: (contentHash: string) => string;
    /** The page for a form some of whose files are rejected. */
    sendResult: SendUploadResult;
  },
): void {
  const { authGuard, replies, documents, files, cacheKey, sendResult } = deps;
  app.post(
    '/upload',
    {
      config: { access: 'visitor', page: true, takes: 'multipart/form-data' },
      bodyLimit: PDF_LIMITS.maxTotalBytes,
      schema: {
        summary: 'Upload PDF files',
        description:
          'Creates a task for each PDF; other files are listed in `rejected`. Creates a session if the browser has none. With `Accept: application/json` the response is JSON, otherwise a redirect to `/`, or a page that lists the files if some are rejected.',
        operationId: 'upload',
        tags: ['documents'],
        shown: {
          body: multipartBody('PDF files, detected by content.', {
            name: { type: 'string', description: 'The display name, for a single file.' },
            project: groupingFields.project,
            tag: groupingFields.tags,
            tags: { type: 'string', description: 'Tags separated by commas, for forms.' },
          }),
          headers: {
            'Idempotency-Key':
              'A repeated request with the same key and files within 24 hours creates no second tasks.',
          },
        },
        response: {
          200: describeResponse('All results are cached.', Uploaded),
          202: describeResponse('Queued.', Uploaded),
          303: { description: 'To `/`, for forms without rejected files.', type: 'null' },
          ...errorResponses(...uploadErrors(PDF_LIMITS, SIZE), idempotencyInProgress(), notADocument('a PDF')),
        },
      },
    },
    async (request, reply) => {
      const check = async (file: StoredUpload) => (isPdf(file.stored.head) ? undefined : notAPdf(file.stored.head));
      const delivery = await receiveUpload(request, {
        ...{ files, check, limits: PDF_LIMITS },
        fallbackName: 'document.pdf',
        sizeWords: SIZE,
      });
      let owned = false;
      try {
        authGuard.checkForm(request, delivery.fields);
        const names = namesOf(delivery.files, delivery.fields);
        const caller = await authGuard.ensureCaller(request, reply);
        const project = delivery.fields.get('project') || undefined;
        const grouping = groupingFrom({ project, tags: delivery.tags });
        const fingerprint = fingerprintOf(delivery.files, names, grouping);
        const operation = { principal: principalOf(caller), fingerprint, onReplay: () => delivery.discard() };
        const answerOf = (created: readonly Document[]) => ({
          status: created.every(({ status }) => status === 'SUCCESS') ? 200 : 202,
          body: { items: created.map(toTaskItem), total: created.length, rejected: rejections(delivery) },
        });
        const { status, body } = await replies.runOnce(request, reply, operation, async (keep) => {
          owned = true;
          const newDocuments = delivery.files.map(({ stored }, i) => ({
            filename: names[i]!,
            fileKey: stored.key,
            sizeBytes: stored.sizeBytes,
            cacheKey: cacheKey(stored.sha256),
          }));
          const created = await createDocuments(
            documents,
            request,
            caller,
            { newDocuments, grouping },
            (tx, createdDocuments) => keep(tx, answerOf(createdDocuments)),
          );
          return answerOf(created);
        });
        if (wantsJson(request.headers.accept)) return await reply.code(status as 200 | 202).send(body);
        const uploaded = body as unknown as Static<typeof Uploaded>;
        if (uploaded.rejected.length > 0) return await sendResult(request, reply, uploaded);
        return await reply.redirect('/', 303);
      } catch (error) {
        // `create` takes over the files.
        if (!owned) await delivery.discard();
        throw error;
      }
    },
  );
}

/** The header may follow up to 1024 bytes of other data. */
export const isPdf = (head: Buffer) => head.subarray(0, 1024 + 5).includes('%PDF-');

function namesOf(files: readonly StoredUpload[], fields: ReadonlyMap<string, string>): string[] {
  const name = fields.get('name');
  if (name === undefined || name === '') return files.map(({ filename }) => filename);
  if (files.length === 1) return [parseDisplayName(name)];
  const msg = 'A name is allowed only with a single file';
  throw new InvalidInput([{ loc: ['body', 'name'], msg, type: 'value_error' }]);
}

function fingerprintOf(files: readonly StoredUpload[], names: readonly string[], grouping: Grouping | undefined) {
  const content = files.map(({ stored }, i) => [stored.sha256, names[i]]);
  return hash('sha256', JSON.stringify(grouping === undefined ? content : [content, grouping]), 'hex');
}

const notAPdf = (head: Buffer) =>
  notADocument('a PDF', sniffImage(head) ? ' Upload images to /api/v1/upload-images.' : '');
