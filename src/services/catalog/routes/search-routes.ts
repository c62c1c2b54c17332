import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { acceptsType, wantsJson } from '../../../http/accept-header.ts';
import type { CookieRules } from '../../../http/cookie-options.ts';
import { describeErrors, describeResponse } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { csrfFailed } from '../../shared/same-site.ts';
import { forbidden } from '../api-errors.ts';
import {
  filtersBody,
  filtersFrom,
  formatPosition,
  pageFrom,
  readFilterForm,
  SearchQuery,
  toQueryString,
} from '../search/filter-query.ts';
import { createLastSearch } from '../search/last-search-cookie.ts';
import { hitBody, SearchResultBody } from '../search/responses.ts';
import type { Search } from '../search/search.ts';

export function searchRoutes(app: Gateway, { search, cookies }: { search: Search; cookies: CookieRules }): void {
  const tags = ['search'];
  const remembered = createLastSearch(cookies);

  app.get<{ Querystring: SearchQuery }>(
    '/search',
    {
      config: { access: 'bearer' },
      preValidation: readFilterForm,
      schema: {
        summary: 'Search records',
        description: 'All parameters must match. Without parameters, lists all records, newest first.',
        operationId: 'search',
        tags,
        querystring: SearchQuery,
        response: { 200: describeResponse('One page of results.', SearchResultBody), 403: describeErrors(forbidden()) },
      },
    },
    async (request, reply) => {
      const { query, reader } = request;
      const filters = filtersFrom(query, reader);
      const page = pageFrom(query, filters);
      const found = await search.find(filters, page);
      const { items, total, more, facets, facetsComplete, attributes, upTo, next } = found;
      // Only for browsers.
      if (reader?.by !== 'header') remembered.save(request, reply, toQueryString(filters, page.sort));
      return {
        items: items.map(hitBody),
        total,
        more,
        page: page.page,
        limit: page.limit,
        facets: facets ?? {},
        ...(facetsComplete !== undefined && { facets_complete: facetsComplete }),
        ...(attributes && { attribute_facets: attributes }),
        filters: filtersBody(filters),
        took_ms: Math.round(reply.elapsedTime),
        upto: upTo,
        ...(next && { next: formatPosition(next, page.sort) }),
      };
    },
  );

  app.post(
    '/filters/reset',
    {
      config: { access: 'visitor' },
      schema: {
        summary: 'Reset the filters',
        description: 'Deletes the cookie that stores the last search.',
        operationId: 'resetFilters',
        tags,
        response: {
          200: describeResponse('If `Accept` contains JSON and not HTML.', Type.Object({ filters: Type.Object({}) })),
          303: { description: 'Redirect to the search page.', type: 'null', headers: LOCATION },
          403: describeErrors(csrfFailed()),
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
        summary: 'Reset the filters by a link',
        operationId: 'reset',
        tags,
        response: { 303: { description: 'Redirect to the search page.', type: 'null', headers: LOCATION } },
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

const asksForJson = ({ headers: { accept } }: FastifyRequest) => wantsJson(accept) && !acceptsType(accept, 'text/html');
