import { type Static, Type } from 'typebox';
import type { Files } from '../../../base/files.ts';
import { describeResponse, errorResponses } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { csrfFailed } from '../../shared/same-site.ts';
import { imageNotFound } from '../api-errors.ts';
import { ImageParams, ImageRemoved, Images, Rotated } from '../api-schema.ts';
import { callerOf } from '../auth/auth-guard.ts';
import { toImage } from '../responses.ts';
import type { DocumentStore } from '../store/postgres.ts';
import { imageResponses, isImageCurrent } from './image-response.ts';

const RotateQuery = Type.Object({ direction: Type.Enum(['cw', 'ccw'], { default: 'cw' }) });
const PreviewQuery = Type.Object({ w: Type.Integer({ minimum: 16, maximum: 1600, default: 256 }) });
type PathParams = Static<typeof ImageParams>;

export function imageRoutes(app: Gateway, deps: { documents: DocumentStore; files: Files; maxImages: number }): void {
  const { documents, files, maxImages } = deps;
  const config = { access: 'session' } as const;
  const tags = ['images'];

  app.get(
    '/api/v1/images',
    {
      config,
      schema: {
        summary: 'List the images of the session',
        operationId: 'listImages',
        tags,
        response: { 200: describeResponse('In upload order.', Images) },
      },
    },
    async (request) => {
      const rows = await documents.images(callerOf(request).session);
      return { images: rows.map(toImage), image_ids: rows.map(({ id }) => id), max_images_per_pdf: maxImages };
    },
  );

  app.get<{ Params: PathParams; Querystring: Static<typeof PreviewQuery> }>(
    '/api/v1/image/:image_id',
    {
      config,
      schema: {
        summary: 'Preview of an image',
        description: 'A JPEG with sides of at most `w` pixels, rotated like the image.',
        operationId: 'previewImage',
        tags,
        params: ImageParams,
        querystring: PreviewQuery,
        response: { ...imageResponses, ...errorResponses(imageNotFound()) },
      },
    },
    async (request, reply) => {
      const row = await documents.image(callerOf(request).session, idOf(request.params));
      if (row === undefined) throw imageNotFound();
      const version = `${row.sha256} ${row.rotation} ${request.query.w}`;
      if (isImageCurrent(request, reply, version)) return reply.code(304).send();
      const { createPreview } = await import('../images/image-preview.ts');
      const { withImagePermit } = await import('../images/image-semaphore.ts');
      const picture = await withImagePermit(async () => {
        const bytes = await files.get(row.fileKey);
        if (bytes === undefined) throw imageNotFound();
        return createPreview(bytes, { rotation: row.rotation, side: request.query.w });
      });
      return reply.type('image/jpeg').send(picture);
    },
  );

  app.post<{ Params: PathParams; Querystring: Static<typeof RotateQuery> }>(
    '/api/v1/rotate-image/:image_id',
    {
      config,
      schema: {
        summary: 'Rotate an image by 90 degrees',
        description: 'Stores the rotation without re-encoding the image.',
        operationId: 'rotateImage',
        tags,
        params: ImageParams,
        querystring: RotateQuery,
        response: { 200: describeResponse('Rotated.', Rotated), ...errorResponses(csrfFailed(), imageNotFound()) },
      },
    },
    async (request) => {
      const by = request.query.direction === 'ccw' ? 270 : 90;
      const row = await documents.rotateImage(callerOf(request).session, idOf(request.params), by);
      if (row === undefined) throw imageNotFound();
      const { image_id, rotation, width, height } = toImage(row);
      return { image_id, rotation, width, height };
    },
  );

  app.delete<{ Params: PathParams }>(
    '/api/v1/image/:image_id',
    {
      config,
      schema: {
        summary: 'Remove an image from the session',
        operationId: 'deleteImage',
        tags,
        params: ImageParams,
        response: { 200: describeResponse('Removed.', ImageRemoved), ...errorResponses(csrfFailed(), imageNotFound()) },
      },
    },
    async (request) => {
      const id = idOf(request.params);
      if (!(await documents.removeImage(callerOf(request).session, id))) throw imageNotFound();
      return { status: 'ok', image_id: id };
    },
  );
}

const idOf = ({ image_id: id }: PathParams) => id.toLowerCase();
