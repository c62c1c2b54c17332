import { hash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import type { Files } from '../../../base/files.ts';
import { sniffImage } from '../../../base/sniff.ts';
import { reply as answer, notModified, refusal } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { isModerator } from '../access/door.ts';
import type { Media } from '../media.ts';
import { heatmapNotFound, imageHidden, imageNotFound, rangeNotSatisfiable } from '../refusals.ts';
import { RecordParams } from '../schema-http.ts';
import { bytesAnswers, sendBytes } from './send-bytes.ts';

const PictureQuery = Type.Object({
  w: Type.Optional(Type.Integer({ minimum: 16, maximum: 1024, description: 'Pixels a side that are enough.' })),
  format: Type.Optional(Type.Enum(['webp', 'jpeg', 'png'], { description: 'As it is kept, where it is not said.' })),
  v: Type.Optional(Type.String({ maxLength: 40, description: 'As an address of ours has it: the picture it means.' })),
});

const Heatmap = Type.Object(
  {},
  { additionalProperties: true, description: '`width`, `height`, and `maps`: by class, a byte per cell in base64.' },
);

type Params = Static<typeof RecordParams>;
type Query = Static<typeof PictureQuery>;

/** Few sizes, so that browsers and we make few of them: what is asked for is rounded up. */
const SIDES = [64, 128, 256, 384, 512, 768, 1024];

/** The picture of a record, and the heatmaps that belong to it. */
export function imageRoute(app: Gateway, { media, files }: { media: Media; files: Files }): void {
  const config = { access: 'bearer' } as const;
  const tags = ['search'];

  app.get<{ Params: Params; Querystring: Query }>(
    '/image/:record_id',
    {
      config,
      schema: {
        summary: 'The picture of a record',
        description: 'At most 1024 pixels a side; smaller, or in another format, where it is asked for.',
        operationId: 'recordImage',
        tags,
        params: RecordParams,
        querystring: PictureQuery,
        response: {
          ...bytesAnswers('The picture.', ['image/jpeg', 'image/webp', 'image/png']),
          304: notModified,
          404: refusal(imageNotFound()),
          410: refusal(imageHidden()),
          416: refusal(rangeNotSatisfiable(1000)),
        },
      },
    },
    async (request, reply) => {
      const { w, format, v } = request.query;
      const row = await media.picture(request.params.record_id);
      if (row === undefined) throw imageNotFound();
      if (row.hidden && !isModerator(request)) throw imageHidden();
      const stored = row.key === null ? undefined : await files.get(row.key);
      const type = stored && sniffImage(stored);
      if (row.key === null || stored === undefined || type === undefined) throw imageNotFound();
      const side = w === undefined ? undefined : SIDES.find((each) => each >= w);
      const wanted = format ?? (type.slice('image/'.length) as 'jpeg');
      const made =
        side === undefined && wanted === type.slice('image/'.length)
          ? { bytes: stored, type }
          : await (await import('../model/resize.ts')).resized(stored, { side, format: wanted });
      return sendBytes(request, reply, {
        type: made.type,
        size: made.bytes.length,
        etag: `"${hash('sha256', `${row.key} ${side} ${wanted}`, 'base64url').slice(0, 22)}"`,
        // Under an address that names the picture there is never another one.
        caching: v === versionOf(row.key) ? 'private, max-age=31536000, immutable' : 'private, no-cache',
        open: async (part) => (part ? made.bytes.subarray(part.start, part.end + 1) : made.bytes),
      });
    },
  );

  app.get<{ Params: Params }>(
    '/heatmap/:record_id',
    {
      config,
      schema: {
        summary: 'Where on its photo a model saw what',
        operationId: 'recordHeatmap',
        tags,
        params: RecordParams,
        response: {
          200: answer('The heatmaps.', Heatmap),
          404: refusal(heatmapNotFound()),
          410: refusal(imageHidden()),
        },
      },
    },
    async (request) => {
      const row = await media.heatmap(request.params.record_id);
      if (row === undefined || row.maps === null) throw heatmapNotFound();
      if (row.hidden && !isModerator(request)) throw imageHidden();
      return row.maps;
    },
  );
}

/** What tells a picture of a record from the one that it may have later. */
export const versionOf = (pictureKey: string) => hash('sha256', pictureKey, 'base64url').slice(0, 10);
