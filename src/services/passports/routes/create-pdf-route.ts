import { hash } from 'node:crypto';
import type { Static } from 'typebox';
import { idempotencyInProgress } from '../../../base/api-error.ts';
import type { Files } from '../../../base/files.ts';
import type { JsonObject } from '../../../base/json.ts';
import { describeResponse, errorResponses } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { fingerprint } from '../../../http/idempotency.ts';
import type { IdempotencyStore } from '../../shared/idempotency-store.ts';
import { invalidImageIds, storageUnavailable, tooManyPages } from '../api-errors.ts';
import { CreatePdf, PdfCreated } from '../api-schema.ts';
import { callerOf } from '../auth/auth-guard.ts';
import { sanitizeDisplayName } from '../display-name.ts';
import { type Document, type ImageRow, type NewDocument, principalOf } from '../documents.ts';
import type { DocumentStore } from '../store/postgres.ts';
import { createDocuments } from './create-documents.ts';
import { groupingFrom, storageErrors } from './receive.ts';

/** Above the total size of all images of a session. */
const PDF_MAX_BYTES = 16 * 1024 ** 3;

/** `POST /api/v1/create-pdf`: creates one document from images of the session, atomically. */
export function createPdfRoute(
  app: Gateway,
  deps: {
    documents: DocumentStore;
    files: Files;
    replies: IdempotencyStore;
    cacheKey: (contentHash: string) => string;
    maxImages: number;
  },
): void {
  const { documents, files, replies, cacheKey, maxImages } = deps;

  app.post<{ Body: Static<typeof CreatePdf> }>(
    '/api/v1/create-pdf',
    {
      config: { access: 'session' },
      schema: {
        summary: 'Create a PDF from images and extract it',
        description: `At most ${maxImages} images, in page order. Deletes the images that the session had at the time of the request.`,
        operationId: 'createPdf',
        tags: ['images'],
        body: CreatePdf,
        shown: {
          headers: {
            'Idempotency-Key':
              'A repeated request with the same key and images within 24 hours creates no second task.',
          },
        },
        response: {
          200: describeResponse('The result is cached.', PdfCreated),
          202: describeResponse('Queued.', PdfCreated),
          ...errorResponses(
            ...[invalidImageIds('Some images are not in this session.', []), tooManyPages(maxImages)],
            ...[idempotencyInProgress(), ...storageErrors()],
          ),
        },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const ids = request.body.image_ids.map((id) => id.toLowerCase());
      const grouping = groupingFrom(request.body);
      const operation = {
        principal: principalOf(caller),
        fingerprint: fingerprint(grouping === undefined ? ids : [ids, { ...grouping } as JsonObject]),
      };
      const { status, body } = await replies.runOnce(request, reply, operation, async (keep) => {
        const sessionImages = await documents.images(caller.session);
        const images = selectImages(ids, sessionImages, maxImages);
        // Images that are uploaded during the assembly are kept.
        const toRemove = sessionImages.map(({ id }) => id);
        const stored = await assemble(files, images);
        const document: NewDocument = {
          filename: nameOf(images[0]!),
          fileKey: stored.key,
          sizeBytes: stored.sizeBytes,
          replacesBytes: sessionImages.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
          cacheKey: cacheKey(contentOf(images)),
        };
        const [created] = await createDocuments(
          documents,
          request,
          caller,
          { newDocuments: [document], grouping },
          async (tx, [createdDocument]) => {
            await documents.removeImages(caller.session, toRemove, tx);
            await keep(tx, answerOf(createdDocument!));
          },
        );
        return answerOf(created!);
      });
      return reply.code(status as 200 | 202).send(body);
    },
  );
}

function answerOf({ id, status }: Document) {
  const done = status === 'SUCCESS';
  return { status: done ? 200 : 202, body: { task_id: id, status: done ? 'SUCCESS' : 'PENDING' } };
}

function selectImages(ids: readonly string[], images: readonly ImageRow[], limit: number): ImageRow[] {
  if (ids.length === 0) throw invalidImageIds('A PDF needs at least one image.', []);
  const duplicates = ids.filter((id, index) => ids.indexOf(id) !== index);
  if (duplicates.length > 0) throw invalidImageIds('Each image can be used only once.', [...new Set(duplicates)]);
  const known = new Map(images.map((image) => [image.id, image]));
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0) throw invalidImageIds('Some images are not in this session.', unknown.slice(0, 100));
  if (ids.length > limit) throw tooManyPages(limit);
  return ids.map((id) => known.get(id)!);
}

/** Holds one image in memory. */
async function assemble(files: Files, images: readonly ImageRow[]) {
  const { assemblePdf } = await import('../images/assemble-pdf.ts');
  const { PhotoError } = await import('../../../ml/image.ts');
  let current: string | undefined;
  const sheets = images.map(({ id, fileKey, rotation }) => ({
    rotation,
    async read() {
      current = id;
      const bytes = await files.get(fileKey);
      if (bytes === undefined) throw storageUnavailable();
      return bytes;
    },
  }));
  try {
    return await files.put(assemblePdf(sheets), { maxBytes: PDF_MAX_BYTES });
  } catch (error) {
    // The upload checked only the header; the image is decoded here.
    if (error instanceof PhotoError && current) throw invalidImageIds('An image cannot be read.', [current]);
    throw error;
  }
}

const contentOf = (images: readonly ImageRow[]) =>
  hash('sha256', JSON.stringify(['images', ...images.map(({ sha256, rotation }) => [sha256, rotation])]), 'hex');

const nameOf = ({ filename }: ImageRow) =>
  sanitizeDisplayName(`${filename.replace(/\.[A-Za-z0-9]{1,8}$/, '')}.pdf`, 'images.pdf');
