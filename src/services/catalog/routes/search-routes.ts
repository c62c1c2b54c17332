import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { names, wantsJson } from '../../../http/accept.ts';
import type { CookieRules } from '../../../http/cookie-options.ts';
import { reply as answer, refusal } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { csrfFailed, forbidden } from '../refusals.ts';
import { addressOf, filtersBody, filtersFrom, ignoreEmpty, pageFrom, SearchQuery } from '../search/filter-query.ts';
import type { Search } from '../search/found.ts';
import { openRemembered } from '../search/remembered.ts';
import { FoundBody, hitBody } from '../search/wire.ts';

/** What finds records, and what forgets what was looked for. */
export function searchRoutes(app: Gateway, { search, cookies }: { search: Search; cookies: CookieRules }): void {
  const tags = ['search'];
  const remembered = openRemembered(cookies);

  app.get<{ Querystring: SearchQuery }>(
    '/search',
    {
      config: { access: 'bearer' },
      preValidation: ignoreEmpty,
      schema: {
        summary: 'Search records',
        description: 'Every parameter narrows; without any, everything is found, the newest first.',
        operationId: 'search',
        tags,
        querystring: SearchQuery,
        response: { 200: answer('One page of what was found.', FoundBody), 403: refusal(forbidden()) },
      },
    },
    async (request, reply) => {
      const { query, reader } = request;
      const filters = filtersFrom(query, reader);
      const page = pageFrom(query, filters);
      const { items, total, facets, upTo } = await search.find(filters, page);
      // A program has its filters in its own hands.
      if (reader?.by !== 'header') remembered.keep(request, reply, addressOf(filters, { sort: page.sort }));
      return {
        items: items.map(hitBody),
        total,
        page: page.page,
        limit: page.limit,
        facets: facets ?? {},
        filters: filtersBody(filters),
        took_ms: Math.round(reply.elapsedTime),
        upto: upTo,
      };
    },
  );

  app.post(
    '/filters/reset',
    {
      config: { access: 'visitor' },
      schema: {
        summary: 'Forget the filters',
        description: 'Filters live in the address; a cookie remembers the last ones, and this takes it back.',
        operationId: 'resetFilters',
        tags,
        response: {
          200: answer('For whoever asks for JSON.', Type.Object({ filters: Type.Object({}) })),
          303: { description: 'To the page of the search.', type: 'null', headers: LOCATION },
          403: refusal(csrfFailed()),
        },
      },
    },
    async (request, reply) =>
      asksForJson(request) ? cleared(request, reply).send({ filters: {} }) : home(request, reply),
  );

  app.get(
    '/reset',
    {
      config: { access: 'visitor' },
      schema: {
        summary: 'The same, for a link',
        operationId: 'reset',
        tags,
        response: { 303: { description: 'To the page of the search.', type: 'null', headers: LOCATION } },
      },
    },
    home,
  );

  function cleared(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    remembered.clear(request, reply);
    return reply;
  }
  async function home(request: FastifyRequest, reply: FastifyReply) {
    return cleared(request, reply).redirect('/', 303);
  }
}

const LOCATION = { Location: { type: 'string', description: '`/`' } };

const asksForJson = ({ headers: { accept } }: FastifyRequest) => wantsJson(accept) && !names(accept, 'text/html');
