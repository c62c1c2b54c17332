import type { Static } from 'typebox';
import { ApiError } from '../../../base/api-error.ts';
import type { Files } from '../../../base/files.ts';
import { describeResponse, errorResponses } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { fileTooLarge, notADocument, quotaExceeded, storageUnavailable, tooManyImages } from '../api-errors.ts';
import { type Image, ImagesUploaded } from '../api-schema.ts';
import type { AuthGuard } from '../auth/auth-guard.ts';
import type { Caller, ImageRow } from '../documents.ts';
import { toImage } from '../responses.ts';
import type { DocumentStore } from '../store/postgres.ts';
import { MEBIBYTE, multipartBody, receiveUpload, rejections, type StoredUpload, uploadErrors } from './receive.ts';

const IMAGE_LIMITS = { maxFiles: 50, maxFileBytes: 20 * MEBIBYTE, maxTotalBytes: 200 * MEBIBYTE };
const SIZE = '20 MiB, or has more than 50 megapixels';
const EXPECTED = 'an image that can be read (JPEG, PNG, WebP, TIFF or HEIC)';
const MAX_IMAGES = 200;

/** `POST /api/v1/upload-images`. `app` accepts multipart bodies. */
export function uploadImagesRoute(
  app: Gateway,
  { authGuard, documents, files }: { authGuard: AuthGuard; documents: DocumentStore; files: Files },
): void {
  app.post(
    '/api/v1/upload-images',
    {
      config: { access: 'visitor', takes: 'multipart/form-data' },
      bodyLimit: IMAGE_LIMITS.maxTotalBytes,
      schema: {
        summary: 'Upload images for a PDF',
        description: `At most 20 MiB and 50 megapixels per image, and ${MAX_IMAGES} images per session. Creates a session if the browser has none.`,
        operationId: 'uploadImages',
        tags: ['images'],
        shown: { body: multipartBody('Images, detected by content.') },
        response: {
          201: describeResponse('Stored until they become a PDF.', ImagesUploaded),
          ...errorResponses(
            ...uploadErrors(IMAGE_LIMITS, SIZE),
            ...[tooManyImages(MAX_IMAGES), notADocument(EXPECTED)],
          ),
        },
      },
    },
    async (request, reply) => {
      const infoByKey = new Map<string, ImageInfo>();
      const delivery = await receiveUpload(request, {
        ...{ files, limits: IMAGE_LIMITS, fallbackName: 'image', sizeWords: SIZE },
        async check(file) {
          const info = await inspect(files, file);
          if (info instanceof ApiError) return info;
          infoByKey.set(file.stored.key, info);
          return undefined;
        },
      });
      const remaining = [...delivery.files];
      const storedImages: ImageRow[] = [];
      try {
        authGuard.checkForm(request, delivery.fields);
        const caller = await authGuard.ensureCaller(request, reply);
        const refused: { filename: string; error: ApiError }[] = [];
        for (let next = remaining.shift(); next; next = remaining.shift()) {
          const { filename, stored } = next;
          const { key: fileKey, sha256, sizeBytes } = stored;
          const row = { filename, fileKey, sha256, sizeBytes, ...infoByKey.get(fileKey)! };
          const added = await add(documents, caller, row);
          if (added instanceof ApiError) refused.push({ filename, error: added });
          else storedImages.push(added);
        }
        if (storedImages.length === 0 && refused[0]) throw refused[0].error;
        const rejected = rejections({ rejected: [...delivery.rejected, ...refused] });
        const images = storedImages.map(toImage);
        return await reply.code(201).send({ images, image_ids: images.map(({ image_id }) => image_id), rejected });
      } catch (error) {
        const session = request.visitor?.caller?.session;
        for (const { id } of storedImages) if (session) await documents.removeImage(session, id).catch(() => false);
        // `addImage` has taken over the other files.
        await delivery.discard(remaining);
        throw error;
      }
    },
  );
}

async function add(documents: DocumentStore, caller: Caller, image: Parameters<DocumentStore['addImage']>[1]) {
  try {
    const added = await documents.addImage(caller, image, MAX_IMAGES);
    return added === 'too-many' ? tooManyImages(MAX_IMAGES) : added;
  } catch (error) {
    if (error instanceof ApiError && error.code === quotaExceeded().code) return error;
    throw error;
  }
}

type ImageInfo = Pick<Static<typeof Image>, 'width' | 'height'> & { contentType: string };

/** Loads the decoder on first use. */
async function inspect(files: Files, { stored }: StoredUpload): Promise<ImageInfo | ApiError> {
  const { inspectImage } = await import('../images/inspect-image.ts');
  const { withImagePermit } = await import('../images/image-semaphore.ts');
  const info = await withImagePermit(async () => {
    const bytes = await files.get(stored.key);
    if (bytes === undefined) throw storageUnavailable();
    return inspectImage(bytes);
  });
  if (!('problem' in info)) return info;
  return info.problem === 'too_large' ? fileTooLarge(SIZE) : notADocument(EXPECTED);
}
