import { hash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import type { Files } from '../../../base/files.ts';
import { sniffImage } from '../../../base/sniff.ts';
import { describeErrors, describeResponse, notModified } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { THUMBNAIL_SIDE } from '../../shared/picture-features.ts';
import { heatmapNotFound, imageHidden, imageNotFound, rangeNotSatisfiable } from '../api-errors.ts';
import { RecordParams } from '../api-schema.ts';
import { isModerator } from '../auth/auth-guard.ts';
import type { PictureFormat } from '../images/resize.ts';
import type { Media } from '../media.ts';
import { bytesResponses, isNotModified, sendBytes, sendNotModified } from './send-bytes.ts';

const FORMATS = ['webp', 'jpeg', 'png'] as const satisfies readonly PictureFormat[];

const PictureQuery = Type.Object({
  w: Type.Optional(Type.Integer({ minimum: 16, maximum: 1024, description: 'Maximum side in pixels.' })),
  format: Type.Optional(Type.Enum([...FORMATS], { description: 'Default: the stored format.' })),
});

const Heatmap = Type.Object(
  {},
  { additionalProperties: true, description: '`width`, `height` and `maps`: per class, one byte per cell in base64.' },
);

type Params = Static<typeof RecordParams>;
type Query = Static<typeof PictureQuery>;

/** Sizes are rounded up, for better caching. */
const SIDES = [64, 128, 256, 384, 512, 768, 1024];

export function imageRoute(app: Gateway, { media, files }: { media: Media; files: Files }): void {
  const config = { access: 'bearer' } as const;
  const tags = ['search'];

  app.get<{ Params: Params; Querystring: Query }>(
    '/image/:record_id',
    {
      config,
      schema: {
        summary: 'Get the picture of a record',
        description: 'At most 1024 pixels per side; `w` and `format` select a smaller size or another format.',
        operationId: 'recordImage',
        tags,
        params: RecordParams,
        querystring: PictureQuery,
        response: {
          ...bytesResponses('The picture.', ['image/jpeg', 'image/webp', 'image/png']),
          304: notModified,
          404: describeErrors(imageNotFound()),
          410: describeErrors(imageHidden()),
          416: describeErrors(rangeNotSatisfiable(1000)),
        },
      },
    },
    async (request, reply) => {
      const { w, format } = request.query;
      const row = await media.picture(request.params.record_id);
      if (row === undefined) throw imageNotFound();
      if (row.hidden && !isModerator(request)) throw imageHidden();
      if (row.content === null) throw imageNotFound();
      const side = w === undefined ? undefined : SIDES.find((each) => each >= w);
      const { whole, thumbnail } = row.content;
      const isSmall = thumbnail !== null && side !== undefined && side <= THUMBNAIL_SIDE;
      const key = isSmall ? thumbnail : whole;
      const etag = `"${hash('sha256', `${key} ${side} ${format}`, 'base64url').slice(0, 22)}"`;
      // The record can be hidden or get another picture.
      const caching = 'private, no-cache';
      if (isNotModified(request, etag)) return sendNotModified(reply, { etag, caching });
      const { bytes, type } = await picture(files, key, {
        side: isSmall && side === THUMBNAIL_SIDE ? undefined : side,
        format,
      });
      return sendBytes(request, reply, {
        ...{ type, etag, caching, size: bytes.length },
        open: async (part) => (part ? bytes.subarray(part.start, part.end + 1) : bytes),
      });
    },
  );

  app.get<{ Params: Params }>(
    '/heatmap/:record_id',
    {
      config,
      schema: {
        summary: 'Get the heatmaps of a photo',
        operationId: 'recordHeatmap',
        tags,
        params: RecordParams,
        response: {
          200: describeResponse('The heatmaps.', Heatmap),
          404: describeErrors(heatmapNotFound()),
          410: describeErrors(imageHidden()),
        },
      },
    },
    async (request) => {
      const row = await media.heatmaps(request.params.record_id);
      if (row === undefined || row.content === null) throw heatmapNotFound();
      if (row.hidden && !isModerator(request)) throw imageHidden();
      return row.content;
    },
  );
}

async function picture(
  files: Files,
  key: string,
  { side, format }: { side: number | undefined; format: PictureFormat | undefined },
): Promise<{ bytes: Buffer; type: string }> {
  const bytes = await files.get(key);
  const type = bytes && sniffImage(bytes);
  if (bytes === undefined || type === undefined) throw imageNotFound();
  const storedFormat = FORMATS.find((each) => type === `image/${each}`);
  if (side === undefined && (format ?? storedFormat) === storedFormat) return { bytes, type };
  const { resizePicture } = await import('../images/resize.ts');
  return resizePicture(bytes, { side, format: format ?? storedFormat ?? 'jpeg' });
}
