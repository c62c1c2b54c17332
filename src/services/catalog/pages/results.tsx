import { fill } from '../../../ui/browser/fill.ts';
import { A } from '../../../ui/text-elements.tsx';
import { parseRange } from '../search/field-ranges.ts';
import { MAX_RESULTS, type SearchResult } from '../search/search-types.ts';
import { Card } from './card.tsx';
import { filterLabel, Hint } from './format.tsx';
import type { Viewer } from './frame.tsx';
import { HitsTable } from './hits-table.tsx';
import { countPages, Paging } from './paging.tsx';
import { FILTERS, queryWith, type SearchState, searchUrl } from './search-url.ts';
import type { Texts } from './texts.ts';

export type ViewName = 'gallery' | 'table';
export const PAGE_SIZE = 48;
export const MAX_PAGE = Math.floor(MAX_RESULTS / PAGE_SIZE);

export interface FilterSuggestion {
  readonly key: string;
  readonly total: number;
  readonly more: boolean;
}

export interface ResultsView {
  readonly found: SearchResult;
  readonly state: SearchState;
  readonly view: ViewName;
  readonly page: number;
  readonly viewer: Viewer;
  readonly suggestions: readonly FilterSuggestion[];
}

export function Results(props: ResultsView): JSX.Element {
  const { found, state, view, page, viewer } = props;
  if (found.items.length === 0) return found.total > 0 ? <PageOutOfRange {...props} /> : <NoResults {...props} />;
  return (
    <>
      {view === 'gallery' ? (
        <ul class="gallery">
          {found.items.map((hit) => (
            <Card hit={hit} viewer={viewer} />
          ))}
        </ul>
      ) : (
        <HitsTable items={found.items} viewer={viewer} />
      )}
      {page === MAX_PAGE && found.total > MAX_PAGE * PAGE_SIZE && <Hint text={viewer.words.lastPage} />}
      <Paging page={page} pages={pagesOf(found)} address={(to) => pageAddress(state, found, to)} words={viewer.words} />
    </>
  );
}

export function Chips({ found, state, viewer }: Pick<ResultsView, 'found' | 'state' | 'viewer'>): JSX.Element {
  const { words } = viewer;
  const active = FILTERS.filter((key) => key in state);
  if (active.length === 0) return '';
  return (
    <ul class="chips" aria-label={words.active}>
      {active.flatMap((key) =>
        state[key]!.map((value, index, all) => {
          const label = filterLabel(key, value, viewer, found.fields);
          return (
            <li>
              <a
                class="chip"
                id={`chip-${key}-${index}`}
                href={searchUrl(queryWith(state, { [key]: all.filter((other) => other !== value) }))}
                aria-label={fill(words.drop, { value: label })}
                data-swap
              >
                <bdi safe>{label}</bdi> <span aria-hidden="true">×</span>
              </a>
            </li>
          );
        }),
      )}
      <li>
        <A id="reset" href="./reset" text={words.reset} />
      </li>
    </ul>
  );
}

const pagesOf = ({ total }: SearchResult): number => Math.min(countPages(total, PAGE_SIZE), MAX_PAGE);

/** `upto` keeps pages consistent while new records are indexed. */
const pageAddress = (state: SearchState, { upTo }: SearchResult, page: number): string =>
  searchUrl(queryWith(state, { page: page === 1 ? null : String(page), upto: page === 1 ? null : String(upTo) }));

function PageOutOfRange({ found, state, viewer }: ResultsView): JSX.Element {
  const { words } = viewer;
  const pages = pagesOf(found);
  return (
    <section class="panel empty-state">
      <h2 safe>{words.noSuchPage}</h2>
      <p safe>{fill(words.pagesAre, { pages })}</p>
      <p>
        <A id="page-last" href={pageAddress(state, found, pages)} data-swap="page" text={words.toLast} />
      </p>
    </section>
  );
}

function NoResults({ found, state, viewer, suggestions }: ResultsView): JSX.Element {
  const { words } = viewer;
  if (FILTERS.every((key) => !(key in state))) return <Empty words={words} />;
  return (
    <section class="panel empty-state">
      <h2 safe>{words.none}</h2>
      <Hint text={words.noneWhy} />
      {(state['range'] ?? []).filter(isEmptyRange).map((range) => (
        <Hint text={fill(words.emptyRange, { filter: filterLabel('range', range, viewer, found.fields) })} />
      ))}
      {suggestions.length > 0 && (
        <ul>
          {suggestions.map(({ key, total, more }) => (
            <li>
              <a href={searchUrl(queryWith(state, { [key]: null }))} data-swap>
                <bdi safe>
                  {fill(words.without, {
                    filter: state[key]!.map((value) => filterLabel(key, value, viewer, found.fields)).join(', '),
                    count: more ? `${total}+` : total,
                  })}
                </bdi>
              </a>
            </li>
          ))}
        </ul>
      )}
      <p>
        <A href="./reset" text={words.reset} />
      </p>
    </section>
  );
}

function isEmptyRange(text: string): boolean {
  const { min, max } = parseRange(text);
  return min !== undefined && max !== undefined && min > max;
}

const Empty = ({ words }: { words: Texts }): JSX.Element => (
  <section class="panel empty-state">
    <h2 safe>{words.empty}</h2>
    <p safe>{words.emptyWhy}</p>
    <ul>
      {words.emptyWays.map((way) => (
        <li safe>{way}</li>
      ))}
    </ul>
    <p>
      <a href="docs">API</a>
    </p>
  </section>
);
