import { type Static, Type } from 'typebox';
import type { Gateway } from '../../../http/gateway.ts';
import { FilterQuery, filtersFrom, ignoreEmpty, sortFrom } from '../search/filter-query.ts';
import type { Filters, Sort } from '../search/filters.ts';
import type { Found, Search } from '../search/found.ts';
import type { View, Views } from '../views/views.ts';
import { addressOf, changed, FILTERS, filtersOf, type State, stateOf } from './address.ts';
import { FilterFields, Facets } from './facets.tsx';
import type { Frame, Onlooker } from './frame.tsx';
import { Chips, type Loosened, PER_PAGE, Results, type ResultsView, type ViewName } from './results.tsx';
import { SavedViews } from './saved-views.tsx';
import { counted } from './texts.ts';

const Query = Type.Object({
  ...FilterQuery.properties,
  view: Type.Optional(Type.Enum(['gallery', 'table'])),
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }),
  upto: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
});

/** Which view this browser was last shown. */
const VIEW_COOKIE = 'assay_view';
const YEAR_SECONDS = 365 * 86_400;
/** More filters than these are not tried without, one by one. */
const MOST_LOOSENED = 6;

/** `GET /`: everything that was found, by words and filters that all stand in the address. */
export function searchPage(app: Gateway, needs: { search: Search; views: Views; frame: Frame }): void {
  const { search, views, frame } = needs;
  app.get<{ Querystring: Static<typeof Query> }>(
    '/',
    {
      config: { access: 'public', page: true },
      preValidation: ignoreEmpty,
      schema: { hide: true, querystring: Query },
    },
    async (request, reply) => {
      const onlooker = await frame.onlooker(request);
      if (onlooker.visitor === null) {
        const back = new URLSearchParams({ back: request.url });
        return reply.redirect(`login${request.url === '/' ? '' : `?${back}`}`, 303);
      }
      const { query } = request;
      const state = stateOf(query);
      const filters = filtersFrom(query, onlooker.visitor);
      const sort = sortFrom(query, filters);
      const view: ViewName = query.view ?? (request.cookies[VIEW_COOKIE] === 'table' ? 'table' : 'gallery');
      const { page, upto } = query;
      const asked = { sort, page, limit: PER_PAGE, facets: true, ...(upto !== undefined && { upTo: upto }) };
      const [found, saved] = await Promise.all([
        search.find(filters, asked),
        views.list(onlooker.visitor.principal),
      ]);
      const loosened = found.total === 0 ? await loosen(search, query, state, onlooker) : [];
      if (query.view !== undefined) void reply.setCookie(VIEW_COOKIE, query.view, viewCookie);
      const { words } = onlooker;
      return frame.send(reply, onlooker, {
        title: words.title,
        root: '',
        part: 'records',
        script: 'services/catalog/browser/search-page.js',
        children: <SearchPage {...{ found, state, view, page, onlooker, loosened, saved, filters, sort }} />,
      });
    },
  );
}

const viewCookie = { path: '/', httpOnly: true, sameSite: 'lax', maxAge: YEAR_SECONDS } as const;

/** Which filter, if it were dropped, would let something be found. */
async function loosen(search: Search, query: Static<typeof Query>, state: State, onlooker: Onlooker): Promise<Loosened[]> {
  const keys = FILTERS.filter((key) => key in state).slice(0, MOST_LOOSENED);
  if (keys.length < 2) return [];
  const tried = await Promise.all(
    keys.map(async (key) => {
      const { [key]: _, ...rest } = query as Record<string, unknown>;
      const filters = filtersFrom(rest as FilterQuery, onlooker.visitor);
      const { total } = await search.find(filters, { sort: 'newest', page: 1, limit: 1, facets: false });
      return { key, total };
    }),
  );
  return tried.filter(({ total }) => total > 0);
}

function SearchPage(
  given: ResultsView & { saved: readonly View[]; filters: Filters; sort: Sort; found: Found },
): JSX.Element {
  const { found, state, view, onlooker, saved, filters, sort } = given;
  const { words, language } = onlooker;
  const active = FILTERS.filter((key) => key !== 'q' && key in state).length;
  const linked = ['service', 'status', 'surface', 'master', 'defect', 'view'] as const;
  return (
    <>
      <h1 class="visually-hidden" safe>
        {words.heading}
      </h1>
      {/* biome-ignore lint/a11y/useSemanticElements: <search> is too young for some readers. */}
      <form id="search" class="search" role="search" method="get" action="./">
        <label class="visually-hidden" for="q" safe>
          {words.q}
        </label>
        <input
          id="q"
          name="q"
          type="search"
          value={state['q'] ?? ''}
          maxlength="500"
          dir="auto"
          autocomplete="off"
          spellcheck="false"
          placeholder={words.qHint}
        />
        <span id="linked" data-fresh="linked">
          {linked
            .filter((key) => key in state)
            .map((key) => (
              <input type="hidden" name={key} value={state[key]!} />
            ))}
        </span>
        <button type="submit" class="primary" safe>
          {words.find}
        </button>
      </form>
      <div class="catalog">
        <aside id="filters" class="filters-panel" aria-label={words.filters}>
          <p class="close">
            <a href="#results" class="button" safe>
              {words.closeFilters}
            </a>
          </p>
          <div id="facets" data-fresh="facets">
            <Facets found={found} state={state} onlooker={onlooker} />
          </div>
          <FilterFields state={state} onlooker={onlooker} />
          <div data-fresh="saved">
            <SavedViews views={saved} state={state} onlooker={onlooker} />
          </div>
        </aside>
        <section id="results" class="results" aria-label={words.results} tabindex="-1">
          <div class="bar-row">
            <p id="total" class="total" data-fresh="total" safe>
              {counted(words.total, found.total, language)}
            </p>
            <a href="#filters" class="button small to-filters" safe>
              {active === 0 ? words.filters : `${words.filters} (${active})`}
            </a>
            <label class="sort">
              <span safe>{words.sort}</span>
              <select form="search" name="sort" id="sort">
                {(Object.keys(words.sorts) as Sort[])
                  .filter((name) => name !== 'relevance' || filters.q !== undefined)
                  .map((name) => (
                    <option value={name === usual(filters) ? '' : name} selected={name === sort} safe>
                      {words.sorts[name]}
                    </option>
                  ))}
              </select>
            </label>
            <Switch state={state} view={view} onlooker={onlooker} />
          </div>
          <div id="chips" data-fresh="chips">
            <Chips state={state} onlooker={onlooker} />
          </div>
          <div id="hits" data-fresh="hits" data-total={counted(words.total, found.total, language)}>
            <Results {...given} />
          </div>
          <Exports state={state} onlooker={onlooker} />
        </section>
      </div>
    </>
  );
}

const usual = (filters: Filters): Sort => (filters.q === undefined ? 'newest' : 'relevance');

function Switch({ state, view, onlooker }: { state: State; view: ViewName; onlooker: Onlooker }): JSX.Element {
  const { words } = onlooker;
  return (
    <nav class="switch" aria-label={words.view} data-fresh="switch">
      {(['gallery', 'table'] as const).map((name) => (
        <a
          href={addressOf(changed(state, { view: name }))}
          id={`view-${name}`}
          aria-current={name === view ? 'true' : undefined}
          data-swap
          safe
        >
          {words.views[name]}
        </a>
      ))}
    </nav>
  );
}

function Exports({ state, onlooker }: { state: State; onlooker: Onlooker }): JSX.Element {
  const filters = { ...filtersOf(state), ...(state['sort'] !== undefined && { sort: state['sort'] }) };
  return (
    <p class="exports hint" data-fresh="exports">
      <span safe>{onlooker.words.export}</span>{' '}
      {(['xlsx', 'csv', 'jsonl'] as const).map((format) => (
        <a href={`export?${new URLSearchParams({ format, ...filters })}`} safe>
          {format.toUpperCase()}
        </a>
      ))}
    </p>
  );
}
