import { type Static, Type } from 'typebox';
import { type Fault, payloadTooLarge, queueUnavailable } from '../../../base/faults.ts';
import type { Files } from '../../../base/files.ts';
import { reply as answer, notModified, refusal } from '../../../http/envelope.ts';
import { matches, weakETag } from '../../../http/etag.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { acceptUploads } from '../../../http/upload.ts';
import { callerOf, type Door } from '../auth/door.ts';
import type { Documents, ImageRow } from '../documents.ts';
import {
  csrfFailed,
  emptyFile,
  fileTooLarge,
  imageNotFound,
  notADocument,
  storageUnavailable,
  tooManyImages,
} from '../refusals.ts';
import { type Image, ImageParams, ImageRemoved, Images, ImagesUploaded, Rotated } from '../schema-http.ts';
import { image } from '../wire.ts';
import { type Received, receive, rejections } from './receive.ts';

const MEBIBYTE = 1024 * 1024;
const IMAGE_LIMITS = { maxFiles: 50, maxFileBytes: 20 * MEBIBYTE, maxTotalBytes: 200 * MEBIBYTE };
const SIZE = '20 MiB, or has more than 50 megapixels';
const WANTED = 'an image that can be read (JPEG, PNG, WebP, TIFF or HEIC)';
/** Images that may wait in a session at a time. */
export const MOST_IMAGES = 200;

const RotateQuery = Type.Object({ direction: Type.Enum(['cw', 'ccw'], { default: 'cw' }) });
const PreviewQuery = Type.Object({ w: Type.Integer({ minimum: 16, maximum: 1600, default: 256 }) });
type Params = Static<typeof ImageParams>;

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

/** The images of a session, which wait to become pages of a PDF. */
export async function imageRoutes(
  app: Gateway,
  { door, documents, files }: { door: Door; documents: Documents; files: Files },
): Promise<void> {
  const config = { access: 'session' } as const;
  const tags = ['images'];

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
          tags,
          shown: { body: BODY },
          response: {
            201: answer('Kept until they become a PDF.', ImagesUploaded),
            400: refusal(emptyFile(), tooManyImages(MOST_IMAGES)),
            403: refusal(csrfFailed()),
            413: refusal(fileTooLarge(SIZE), payloadTooLarge(IMAGE_LIMITS.maxTotalBytes)),
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
        const kept: ImageRow[] = [];
        const rejected = rejections(delivery);
        try {
          door.checkForm(request, delivery.fields);
          const { session } = await door.admit(request, reply);
          for (const { filename, stored } of delivery.files) {
            const { key: fileKey, sha256, sizeBytes } = stored;
            const row = { filename, fileKey, sha256, sizeBytes, ...looks.get(fileKey)! };
            const added = await documents.addImage(session, row, MOST_IMAGES);
            if (added !== 'too-many') kept.push(added);
            else {
              const { code, message } = tooManyImages(MOST_IMAGES);
              rejected.push({ filename, error: { code, message } });
              await files.remove(fileKey);
            }
          }
          if (kept.length === 0) throw tooManyImages(MOST_IMAGES);
          const images = kept.map(image);
          return await reply.code(201).send({ images, image_ids: kept.map(({ id }) => id), rejected });
        } catch (error) {
          const session = request.visitor?.caller?.session;
          for (const { id } of kept) if (session) await documents.removeImage(session, id).catch(() => false);
          await delivery.discard();
          throw error;
        }
      },
    );
  });

  app.get(
    '/api/v1/images',
    {
      config,
      schema: {
        summary: 'List the images of the session',
        operationId: 'listImages',
        tags,
        response: { 200: answer('In the order in which they came.', Images) },
      },
    },
    async (request) => {
      const rows = await documents.images(callerOf(request).session);
      return { images: rows.map(image), image_ids: rows.map(({ id }) => id) };
    },
  );

  app.get<{ Params: Params; Querystring: Static<typeof PreviewQuery> }>(
    '/api/v1/image/:image_id',
    {
      config,
      schema: {
        summary: 'Preview of an image',
        description: 'A JPEG of at most `w` pixels a side, turned as the image is.',
        operationId: 'previewImage',
        tags,
        params: ImageParams,
        querystring: PreviewQuery,
        response: {
          200: {
            description: 'The picture.',
            content: { 'image/jpeg': { schema: { type: 'string', format: 'binary' } } },
          },
          304: notModified,
          404: refusal(imageNotFound()),
        },
      },
    },
    async (request, reply) => {
      const row = await documents.image(callerOf(request).session, idOf(request.params));
      if (row === undefined) throw imageNotFound();
      const etag = weakETag(`${row.sha256} ${row.rotation} ${request.query.w}`);
      void reply.headers({
        etag,
        'cache-control': 'private, no-cache',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'same-origin',
      });
      if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
      const bytes = await files.get(row.fileKey);
      if (bytes === undefined) throw imageNotFound();
      const { previewOf } = await import('../model/pages/picture.ts');
      const picture = await previewOf(bytes, { rotation: row.rotation, side: request.query.w });
      return reply.type('image/jpeg').send(picture);
    },
  );

  app.post<{ Params: Params; Querystring: Static<typeof RotateQuery> }>(
    '/api/v1/rotate-image/:image_id',
    {
      config,
      schema: {
        summary: 'Turn an image by 90 degrees',
        description: 'Nothing is coded anew: the turn is kept beside the image.',
        operationId: 'rotateImage',
        tags,
        params: ImageParams,
        querystring: RotateQuery,
        response: { 200: answer('Turned.', Rotated), 403: refusal(csrfFailed()), 404: refusal(imageNotFound()) },
      },
    },
    async (request) => {
      const by = request.query.direction === 'ccw' ? 270 : 90;
      const row = await documents.rotateImage(callerOf(request).session, idOf(request.params), by);
      if (row === undefined) throw imageNotFound();
      const { image_id, rotation, width, height } = image(row);
      return { image_id, rotation, width, height };
    },
  );

  app.delete<{ Params: Params }>(
    '/api/v1/image/:image_id',
    {
      config,
      schema: {
        summary: 'Remove an image from the session',
        operationId: 'deleteImage',
        tags,
        params: ImageParams,
        response: { 200: answer('Removed.', ImageRemoved), 403: refusal(csrfFailed()), 404: refusal(imageNotFound()) },
      },
    },
    async (request) => {
      const id = idOf(request.params);
      if (!(await documents.removeImage(callerOf(request).session, id))) throw imageNotFound();
      return { status: 'ok', image_id: id };
    },
  );
}

const idOf = ({ image_id: id }: Params) => id.toLowerCase();

type Look = Pick<Static<typeof Image>, 'width' | 'height'> & { contentType: string };
const isLook = (look: Look | Fault): look is Look => 'contentType' in look;

/** What kind of image lies in the store, or why it is none. The decoder is loaded when the first one comes. */
async function inspect(files: Files, { stored }: Received): Promise<Look | Fault> {
  const { inspectImage } = await import('../model/pages/inspect.ts');
  const bytes = await files.get(stored.key);
  if (bytes === undefined) throw storageUnavailable();
  const look = await inspectImage(bytes);
  if (!('problem' in look)) return look;
  return look.problem === 'too_large' ? fileTooLarge(SIZE) : notADocument(WANTED);
}
