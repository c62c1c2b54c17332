import { type Static, Type } from 'typebox';
import { type CookieRules, cookieOptions } from '../../../http/cookie-options.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { FilterQuery, filtersFrom, pageFrom, readFilterForm } from '../search/filter-query.ts';
import { createLastSearch } from '../search/last-search-cookie.ts';
import type { Search } from '../search/search.ts';
import type { ViewOwners, Views } from '../views/views.ts';
import type { Frame, Viewer } from './frame.tsx';
import { type FilterSuggestion, MAX_PAGE, PAGE_SIZE, type ViewName } from './results.tsx';
import { FILTERS, parseSearchState, queryWith, type SearchState } from './search-url.ts';
import { SearchView } from './search-view.tsx';
import { showInvisible } from './untrusted-text.ts';

const Query = Type.Object({
  ...FilterQuery.properties,
  view: Type.Optional(Type.Enum(['gallery', 'table'])),
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }),
  upto: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
});

const VIEW_COOKIE = 'assay_view';
const YEAR_SECONDS = 365 * 86_400;
/** Filters that are tried out when there are no results. */
const MAX_LOOSENED = 6;

/** The URL contains the whole state. */
export function searchPage(
  app: Gateway,
  deps: { search: Search; views: Views; owners: ViewOwners; frame: Frame; cookies: CookieRules; byPicture: boolean },
): void {
  const { search, views, owners, frame, byPicture } = deps;
  const remembered = createLastSearch(deps.cookies);
  const options = cookieOptions(deps.cookies);
  app.get<{ Querystring: Static<typeof Query> }>(
    '/',
    {
      config: { access: 'public', page: true },
      preValidation: readFilterForm,
      schema: { hide: true, querystring: Query },
    },
    async (request, reply) => {
      const viewer = frame.viewer(request);
      if (viewer.visitor === null) {
        const back = new URLSearchParams({ back: request.url });
        return reply.redirect(`login${request.url === '/' ? '' : `?${back}`}`, 303);
      }
      const { query } = request;
      const state = parseSearchState(query);
      const filters = filtersFrom(query, viewer.visitor);
      const page = Math.min(query.page, MAX_PAGE);
      const paging = { ...pageFrom({ ...query, page, limit: PAGE_SIZE, facets: true }, filters), fields: true };
      const view: ViewName = query.view ?? (request.cookies[VIEW_COOKIE] === 'table' ? 'table' : 'gallery');
      const owner = owners.find(request, viewer.visitor);
      const [found, saved] = await Promise.all([
        search.find(filters, paging),
        owner === undefined ? [] : views.list(owner),
      ]);
      const suggestions = found.total === 0 ? await loosen(search, query, state, viewer) : [];
      // The record page links back to this search.
      remembered.save(request, reply, queryWith(state, {}));
      if (query.view !== undefined) void reply.setCookie(VIEW_COOKIE, query.view, options(request, YEAR_SECONDS));
      const { words } = viewer;
      return frame.send(reply, viewer, {
        title: state['q'] === undefined ? words.title : `${showInvisible(state['q'].join(' '))} · ${words.title}`,
        root: '',
        section: 'records',
        script: 'services/catalog/browser/search-page.js',
        styles: ['services/catalog/browser/search.css', 'services/catalog/browser/hits.css'],
        children: (
          <SearchView
            {...{ found, state, view, viewer, suggestions, saved, filters, byPicture }}
            page={paging.page}
            sort={paging.sort}
          />
        ),
      });
    },
  );
}

async function loosen(
  search: Search,
  query: Static<typeof Query>,
  state: SearchState,
  viewer: Viewer,
): Promise<FilterSuggestion[]> {
  const keys = FILTERS.filter((key) => key in state).slice(0, MAX_LOOSENED);
  if (keys.length < 2) return [];
  const totals = await Promise.all(
    keys.map(async (key) => {
      const { [key]: _, ...rest } = query as Record<string, unknown>;
      const filters = filtersFrom(rest as FilterQuery, viewer.visitor);
      const { total, more } = await search.find(filters, { sort: 'newest', page: 1, limit: 1, facets: false });
      return { key, total, more };
    }),
  );
  return totals.filter(({ total }) => total > 0);
}
