import type { Static } from 'typebox';
import { Fault, payloadTooLarge, queueUnavailable } from '../../../base/faults.ts';
import type { Files } from '../../../base/files.ts';
import { reply as answer, refusal } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { acceptUploads } from '../../../http/upload.ts';
import type { Door } from '../auth/door.ts';
import type { Caller, Documents, ImageRow } from '../documents.ts';
import {
  csrfFailed,
  emptyFile,
  fileTooLarge,
  notADocument,
  quotaExceeded,
  storageUnavailable,
  tooManyImages,
} from '../refusals.ts';
import { type Image, ImagesUploaded } from '../schema-http.ts';
import { image } from '../wire.ts';
import { type Received, receive, rejections } from './receive.ts';

const MEBIBYTE = 1024 * 1024;
const IMAGE_LIMITS = { maxFiles: 50, maxFileBytes: 20 * MEBIBYTE, maxTotalBytes: 200 * MEBIBYTE };
const SIZE = '20 MiB, or has more than 50 megapixels';
const WANTED = 'an image that can be read (JPEG, PNG, WebP, TIFF or HEIC)';
/** Images that may wait in a session at a time. */
const MOST_IMAGES = 200;

const BODY = {
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        required: ['files'],
        properties: { files: { type: 'array', items: { type: 'string', format: 'binary' } } },
      },
    },
  },
};

/** `POST /api/v1/upload-images`: images come into a session, each looked at before it is kept. */
export async function uploadImagesRoute(
  app: Gateway,
  { door, documents, files }: { door: Door; documents: Documents; files: Files },
): Promise<void> {
  await app.register(async (scope) => {
    await acceptUploads(scope);
    scope.removeContentTypeParser('*');
    scope.post(
      '/api/v1/upload-images',
      {
        config: { access: 'visitor', takes: 'multipart/form-data' },
        bodyLimit: IMAGE_LIMITS.maxTotalBytes,
        schema: {
          summary: 'Upload images for a PDF',
          description: `Each at most 20 MiB and 50 megapixels; ${MOST_IMAGES} may wait in a session. A browser that has no session is given one.`,
          operationId: 'uploadImages',
          tags: ['images'],
          shown: { body: BODY },
          response: {
            201: answer('Kept until they become a PDF.', ImagesUploaded),
            400: refusal(emptyFile(), tooManyImages(MOST_IMAGES)),
            403: refusal(csrfFailed()),
            413: refusal(fileTooLarge(SIZE), payloadTooLarge(IMAGE_LIMITS.maxTotalBytes), quotaExceeded()),
            415: refusal(notADocument(WANTED)),
            503: refusal(storageUnavailable(), queueUnavailable()),
          },
        },
      },
      async (request, reply) => {
        const looks = new Map<string, Look>();
        const delivery = await receive(request, {
          ...{ files, limits: IMAGE_LIMITS, fallbackName: 'image', sizeWords: SIZE },
          async check(file) {
            const look = await inspect(files, file);
            if (isLook(look)) looks.set(file.stored.key, look);
            return isLook(look) ? undefined : look;
          },
        });
        const waiting = [...delivery.files];
        const kept: ImageRow[] = [];
        const rejected = rejections(delivery);
        try {
          door.checkForm(request, delivery.fields);
          const caller = await door.admit(request, reply);
          let full: Fault | undefined;
          for (let next = waiting.shift(); next; next = waiting.shift()) {
            const { filename, stored } = next;
            const { key: fileKey, sha256, sizeBytes } = stored;
            const row = { filename, fileKey, sha256, sizeBytes, ...looks.get(fileKey)! };
            const added = await add(documents, caller, row);
            if (!(added instanceof Fault)) kept.push(added);
            else {
              const { code, message } = added;
              rejected.push({ filename, error: { code, message } });
              full ??= added;
            }
          }
          if (kept.length === 0 && full) throw full;
          const images = kept.map(image);
          return await reply.code(201).send({ images, image_ids: kept.map(({ id }) => id), rejected });
        } catch (error) {
          const session = request.visitor?.caller?.session;
          for (const { id } of kept) if (session) await documents.removeImage(session, id).catch(() => false);
          // From `addImage` on the bytes are the store's.
          await delivery.discard(waiting);
          throw error;
        }
      },
    );
  });
}

/** The image as it waits now, or why it cannot. */
async function add(documents: Documents, caller: Caller, image: Parameters<Documents['addImage']>[1]) {
  try {
    const added = await documents.addImage(caller, image, MOST_IMAGES);
    return added === 'too-many' ? tooManyImages(MOST_IMAGES) : added;
  } catch (error) {
    if (error instanceof Fault && error.code === quotaExceeded().code) return error;
    throw error;
  }
}

type Look = Pick<Static<typeof Image>, 'width' | 'height'> & { contentType: string };
const isLook = (look: Look | Fault): look is Look => 'contentType' in look;

/** What kind of image lies in the store, or why it is none. The decoder is loaded when the first one comes. */
async function inspect(files: Files, { stored }: Received): Promise<Look | Fault> {
  const { inspectImage } = await import('../model/pages/inspect.ts');
  const { inTurn } = await import('../model/pages/turns.ts');
  const look = await inTurn(async () => {
    const bytes = await files.get(stored.key);
    if (bytes === undefined) throw storageUnavailable();
    return inspectImage(bytes);
  });
  if (!('problem' in look)) return look;
  return look.problem === 'too_large' ? fileTooLarge(SIZE) : notADocument(WANTED);
}
