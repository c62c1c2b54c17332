import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { payloadTooLarge, unsupportedMediaType } from '../../../base/api-error.ts';
import { wantsPage } from '../../../http/accept-header.ts';
import { describeErrors, describeResponse } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { stopOf } from '../../../http/stop-signal.ts';
import { acceptUploads, readUpload } from '../../../http/upload.ts';
import { csrfFailed } from '../../shared/same-site.ts';
import { pictureSearchUnavailable } from '../api-errors.ts';
import type { AuthGuard } from '../auth/auth-guard.ts';
import type { PictureSearch } from '../picture-search.ts';
import { SimilarBody, similarBody } from '../search/responses.ts';
import type { Search } from '../search/search.ts';
import type { SimilarHit } from '../search/similar.ts';
import { SimilarQuery } from './row-routes.ts';

export type SimilarPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  hits: readonly SimilarHit[],
) => Promise<FastifyReply>;

const BYTES = { type: 'string', format: 'binary' };
const BODIES = {
  'application/octet-stream': { schema: { ...BYTES, description: 'The photo. The declared type is ignored.' } },
  'multipart/form-data': { schema: { type: 'object', required: ['file'], properties: { file: BYTES } } },
};

/** `POST /search/similar`. */
export async function pictureSearchRoute(
  app: Gateway,
  deps: {
    search: Search;
    pictures: PictureSearch;
    checkForm: AuthGuard['checkForm'];
    page: SimilarPage;
  },
): Promise<void> {
  const { search, pictures, checkForm, page } = deps;
  const { maxBytes, expected } = pictures.type;
  await app.register(async (scope) => {
    await acceptUploads(scope);
    scope.post<{ Querystring: Static<typeof SimilarQuery> }>(
      '/search/similar',
      {
        config: { access: 'bearer', page: true },
        bodyLimit: maxBytes,
        schema: {
          summary: 'Find records similar to a photo',
          description: `The photo as the body, or one multipart part named \`file\`: ${expected}, at most ${maxBytes} bytes. Deleted before the response. The answer is that of \`GET /row/{record_id}/similar\` for a record of this photo. Excludes hidden records. HTML if \`Accept\` contains \`text/html\`.`,
          operationId: 'findSimilarToPhoto',
          tags: ['search'],
          querystring: SimilarQuery,
          shown: { body: { content: BODIES } },
          response: {
            200: {
              ...describeResponse('The most similar records.', SimilarBody),
              content: {
                ...describeResponse('', SimilarBody).content,
                'text/html': { schema: Type.String({ description: 'The page of similar pictures.' }) },
              },
            },
            403: describeErrors(csrfFailed()),
            413: describeErrors(payloadTooLarge(maxBytes)),
            415: describeErrors(unsupportedMediaType(expected)),
            503: describeErrors(pictureSearchUnavailable()),
          },
        },
      },
      async (request, reply) => {
        const isPage = wantsPage(request.headers.accept);
        const { bytes, fields = {} } = await readUpload(request, { maxBytes });
        if (isPage) checkForm(request, new Map(Object.entries(fields)));
        const { stop: signal, release } = stopOf(app.closing, reply);
        const caller = { client: request.principal, requestId: request.id, signal };
        const features = await pictures.describe(bytes, caller).finally(release);
        const { limit, group } = request.query;
        const items = await search.similarTo(features, { limit, group: group || isPage });
        return isPage ? page(request, reply, items) : { items: items.map(similarBody) };
      },
    );
  });
}
