import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { payloadTooLarge, unsupportedFile } from '../../../base/api-error.ts';
import { SIGNATURE_LENGTH } from '../../../base/signature.ts';
import { wantsPage } from '../../../http/accept-header.ts';
import { describeErrors, describeResponse, headersOf } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { stopOf } from '../../../http/stop-signal.ts';
import { STORABLE_TEXT } from '../../../http/text-patterns.ts';
import { acceptUploads, readUpload } from '../../../http/upload.ts';
import { decodeFeatures, GREY_SIDE, type PictureFeatures } from '../../shared/picture-features.ts';
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
  /** The reduced copy of the searched photo, in base64url. */
  grey: string | undefined,
) => Promise<FastifyReply>;

/** The features of a searched photo, in base64url: the address of the page is the search, so that nothing is stored. */
const PageQuery = Type.Object({
  version: Type.Optional(Type.String({ maxLength: 100, pattern: STORABLE_TEXT })),
  signature: Type.Optional(base64Url(SIGNATURE_LENGTH)),
  grey: Type.Optional(base64Url(GREY_SIDE ** 2)),
});

function base64Url(bytes: number) {
  return Type.String({ pattern: `^[A-Za-z0-9_-]{${Math.ceil((8 * bytes) / 6)}}$` });
}

const pageQuery = ({ signature, grey }: PictureFeatures) =>
  new URLSearchParams({
    ...(signature && {
      version: signature.version,
      signature: Buffer.from(signature.values).toString('base64url'),
    }),
    ...(grey && { grey: grey.toString('base64url') }),
  });

/** Records on the page. */
const PAGE_LIMIT = 12;

const BYTES = { type: 'string', format: 'binary' };
const BODIES = {
  'application/octet-stream': { schema: { ...BYTES, description: 'The photo. The declared type is ignored.' } },
  'multipart/form-data': { schema: { type: 'object', required: ['file'], properties: { file: BYTES } } },
};

/** `POST /search/similar`; a browser is redirected to the page of the same address. */
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
  app.get<{ Querystring: Static<typeof PageQuery> }>(
    '/search/similar',
    { config: { access: 'bearer', page: true }, schema: { hide: true, querystring: PageQuery } },
    async (request, reply) => {
      const { version, signature: values, grey } = request.query;
      const signature = version === undefined || values === undefined ? undefined : { version, values };
      const features = decodeFeatures({ ...(signature && { signature }), ...(grey !== undefined && { grey }) });
      // Without a photo: the search page has the form.
      if (features === undefined) return reply.redirect('../', 303);
      const options = { limit: PAGE_LIMIT, group: true, isAbandoned: () => reply.raw.destroyed };
      const hits = await pictures.limitClient(request.principal, () => search.similarTo(features, options));
      return page(request, reply, hits, grey);
    },
  );
  await app.register(async (scope) => {
    await acceptUploads(scope);
    scope.post<{ Querystring: Static<typeof SimilarQuery> }>(
      '/search/similar',
      {
        config: { access: 'bearer', page: true },
        bodyLimit: maxBytes,
        schema: {
          summary: 'Find records similar to a photo',
          description: `The photo as the body, or one multipart part named \`file\`: ${expected}, at most ${maxBytes} bytes. Deleted before the response. The answer is that of \`GET /row/{record_id}/similar\` for a record of this photo. Excludes hidden records. Redirects to the page of the records if \`Accept\` contains \`text/html\`.`,
          operationId: 'findSimilarToPhoto',
          tags: ['search'],
          querystring: SimilarQuery,
          shown: { body: { content: BODIES } },
          response: {
            200: describeResponse('The most similar records.', SimilarBody),
            303: {
              description: 'The page of the records, for browsers.',
              headers: headersOf({ Location: 'The page.' }),
            },
            403: describeErrors(csrfFailed()),
            413: describeErrors(payloadTooLarge(maxBytes)),
            415: describeErrors(unsupportedFile(expected)),
            503: describeErrors(pictureSearchUnavailable()),
          },
        },
      },
      async (request, reply) => {
        const isPage = wantsPage(request.headers.accept);
        const upload = await readUpload(request, { maxBytes });
        if (isPage) checkForm(request, new Map(Object.entries(upload.fields ?? {})));
        const { stop: signal, release } = stopOf(app.closing, reply);
        const caller = { client: request.principal, requestId: request.id, signal };
        const features = await pictures.describe(upload.bytes, caller).finally(release);
        const { limit, group } = request.query;
        if (isPage) return reply.redirect(`similar?${pageQuery(features)}`, 303);
        const items = await search.similarTo(features, { limit, group, isAbandoned: () => reply.raw.destroyed });
        return { items: items.map(similarBody) };
      },
    );
  });
}
