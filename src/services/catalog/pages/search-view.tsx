import { fill } from '../../../ui/browser/fill.ts';
import { A, Button, H1, H2, Label, P } from '../../../ui/text-elements.tsx';
import { formatRange } from '../search/field-ranges.ts';
import { defaultSort } from '../search/filter-query.ts';
import type { Filters, Sort } from '../search/search-types.ts';
import type { View } from '../views/views.ts';
import { Facets, FieldFacets, FilterFields } from './facets.tsx';
import { Hint } from './format.tsx';
import type { Viewer } from './frame.tsx';
import { PresenceFields } from './presence-fields.tsx';
import { otherRanges, RangeFields } from './range-fields.tsx';
import { Chips, Results, type ResultsView, type ViewName } from './results.tsx';
import { SavedViews } from './saved-views.tsx';
import { FILTERS, filtersOf, queryWith, type SearchState, searchUrl } from './search-url.ts';
import { PictureForm } from './similar-page.tsx';
import { formatCount } from './texts.ts';

/** The script replaces elements with `data-fresh` by their latest versions. */
export function SearchView(
  props: ResultsView & {
    saved: readonly View[];
    filters: Filters;
    sort: Sort;
    byPicture: boolean;
  },
): JSX.Element {
  const { found, state, view, viewer, saved, filters, sort, byPicture } = props;
  const { words, language } = viewer;
  const total = found.more
    ? fill(words.totalMore, { count: new Intl.NumberFormat(language).format(found.total) })
    : formatCount(words.total, found.total, language);
  const { ranges = [] } = filters;
  const { fields = [] } = found;
  // The values of the facet include those that are not selected. Undefined: not all matches were counted.
  const services =
    filters.service ?? (found.facetsComplete ? found.facets?.service.map(({ value }) => value) : undefined);
  const active = FILTERS.filter((key) => key !== 'q').reduce((sum, key) => sum + (state[key]?.length ?? 0), 0);
  return (
    <>
      <H1 class="visually-hidden" text={words.heading} />
      {/* biome-ignore lint/a11y/useSemanticElements: older screen readers do not support <search>. */}
      <form id="search" class="search" role="search" method="get" action="./">
        <Label class="visually-hidden" for="q" text={words.q} />
        <input
          id="q"
          name="q"
          type="search"
          value={state['q']?.[0] ?? ''}
          maxlength="500"
          dir="auto"
          autocomplete="off"
          spellcheck="false"
          placeholder={words.qHint}
        />
        <span id="hidden-filters" data-fresh="hidden-filters">
          {(['view', 'has', 'not_has'] as const).flatMap((name) =>
            (state[name] ?? []).map((value) => <input type="hidden" name={name} value={value} />),
          )}
          {(['attribute', 'not_attribute'] as const).flatMap((name) =>
            (state[name] ?? [])
              .filter((value) => !found.attributes?.some(({ field }) => value.startsWith(`${field}=`)))
              .map((value) => <input type="hidden" name={name} value={value} />),
          )}
          {otherRanges(fields, ranges).map((range) => (
            <input type="hidden" name="range" value={formatRange(range)} />
          ))}
        </span>
        <Button type="submit" class="primary" text={words.find} />
      </form>
      {byPicture && <PictureForm action="search/similar" viewer={viewer} />}
      <div class="catalog">
        <aside id="filters" class="filters-panel" aria-labelledby="filters-title">
          <H2 id="filters-title" class="visually-hidden" text={words.filters} />
          <p class="close">
            <A href="#results" class="button" text={words.closeFilters} />
          </p>
          <div id="facets" data-fresh="facets">
            {found.facetsComplete === false && <Hint text={words.notAllCounted} />}
            <Facets found={found} state={state} viewer={viewer} />
          </div>
          <FilterFields state={state} viewer={viewer} />
          <SavedViews views={saved} state={state} viewer={viewer} />
          <div id="field-facets" data-fresh="field-facets">
            <FieldFacets found={found} state={state} viewer={viewer} />
          </div>
          <RangeFields {...{ fields, ranges, services, viewer }} />
          {fields.length > 0 && (
            <div id="presence" data-fresh="presence">
              <PresenceFields fields={fields} viewer={viewer} />
            </div>
          )}
        </aside>
        <section id="results" class="results" aria-label={words.results} tabindex="-1">
          <div class="bar-row">
            <P id="total" class="total" data-fresh="total" text={total} />
            <a href="#filters" class="button small filters-link" safe>
              {active === 0 ? words.filters : `${words.filters} (${active})`}
            </a>
            <label class="sort">
              <span safe>{words.sort}</span>
              <select form="search" name="sort" id="sort">
                {(Object.keys(words.sorts) as Sort[])
                  .filter((name) => name !== 'relevance' || filters.q !== undefined)
                  .map((name) => (
                    <option value={name === defaultSort(filters) ? '' : name} selected={name === sort} safe>
                      {words.sorts[name]}
                    </option>
                  ))}
              </select>
            </label>
            <Switch state={state} view={view} viewer={viewer} />
            <Exports place="exports-above" state={state} viewer={viewer} />
          </div>
          <div id="chips" data-fresh="chips">
            <Chips {...{ found, state, viewer }} />
          </div>
          <div id="hits" data-fresh="hits" data-total={total}>
            <Results {...props} />
          </div>
          <Exports place="exports" state={state} viewer={viewer} />
        </section>
      </div>
    </>
  );
}

function Switch({ state, view, viewer }: { state: SearchState; view: ViewName; viewer: Viewer }): JSX.Element {
  const { words } = viewer;
  return (
    <nav class="view-switch" aria-label={words.view} data-fresh="view-switch">
      {(['gallery', 'table'] as const).map((name) => (
        <a
          href={searchUrl(queryWith(state, { view: name }))}
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

function Exports(props: { place: string; state: SearchState; viewer: Viewer }): JSX.Element {
  const { place, state, viewer } = props;
  const filters = queryWith({ ...filtersOf(state), ...(state['sort'] && { sort: state['sort'] }) }, {});
  return (
    <p class="exports hint" data-fresh={place}>
      <span safe>{viewer.words.export}</span>{' '}
      {(['xlsx', 'csv', 'jsonl'] as const).map((format) => (
        <A href={`export?format=${format}${filters && `&${filters}`}`} text={format.toUpperCase()} />
      ))}
    </p>
  );
}
