import { fill } from '../../../ui/browser/fill.ts';
import { Button, H3, Option, Span } from '../../../ui/text-elements.tsx';
import type { Facet, FacetName, SearchResult } from '../search/search-types.ts';
import { filterLabel, formatPercent } from './format.tsx';
import type { Viewer } from './frame.tsx';
import { queryWith, type SearchState, searchUrl } from './search-url.ts';

const FACETS = ['service', 'status', 'defect', 'master', 'surface'] as const satisfies readonly FacetName[];
/** Further values are collapsed. */
const EXPANDED_COUNT = 8;
const CONFIDENCES = ['0.5', '0.7', '0.8', '0.9', '0.95'];

export function Facets(props: { found: SearchResult; state: SearchState; viewer: Viewer }): JSX.Element {
  const { found, state, viewer } = props;
  return (
    <>
      {FACETS.map((name) => {
        const facet = withSelected(found.facets?.[name] ?? [], state[name]);
        if (facet.length === 0) return '';
        return (
          <section class="facet" aria-labelledby={`facet-${name}`}>
            <H3 id={`facet-${name}`} text={viewer.words.facets[name]} />
            <Values name={name} facet={facet.slice(0, EXPANDED_COUNT)} state={state} viewer={viewer} />
            {facet.length > EXPANDED_COUNT && (
              <details open={facet.slice(EXPANDED_COUNT).some(({ value }) => value === state[name])}>
                <summary safe>{`+ ${facet.length - EXPANDED_COUNT}`}</summary>
                <Values name={name} facet={facet.slice(EXPANDED_COUNT)} state={state} viewer={viewer} />
              </details>
            )}
          </section>
        );
      })}
    </>
  );
}

/** A selected value without results can still be removed. */
function withSelected(facet: Facet, selected: string | undefined): Facet {
  if (selected === undefined || facet.some(({ value }) => value === selected)) return facet;
  return [{ value: selected, count: 0, more: false }, ...facet];
}

function Values(props: { name: FacetName; facet: Facet; state: SearchState; viewer: Viewer }): JSX.Element {
  const { name, facet, state, viewer } = props;
  const { words, language } = viewer;
  return (
    <ul>
      {facet.map(({ value, count, more }) => {
        const isSelected = state[name] === value;
        const label = filterLabel(name, value, viewer);
        const number = new Intl.NumberFormat(language).format(count);
        const countText = more ? fill(words.more, { count: number }) : number;
        const description = isSelected
          ? fill(words.drop, { value: label })
          : fill(words.take, { value: label, count: countText });
        return (
          <li>
            <a
              href={searchUrl(queryWith(state, { [name]: isSelected ? null : value }))}
              id={`facet-${name}-${value}`}
              aria-current={isSelected ? 'true' : undefined}
              aria-label={description}
              data-swap
            >
              <bdi class="name" safe>
                {label}
              </bdi>
              <Span class="count" text={isSelected ? '×' : countText} />
            </a>
          </li>
        );
      })}
    </ul>
  );
}

export function FilterFields({ state, viewer }: { state: SearchState; viewer: Viewer }): JSX.Element {
  const { words, language, moderator } = viewer;
  const minConf = state['min_conf'];
  const choices = minConf === undefined || CONFIDENCES.includes(minConf) ? CONFIDENCES : [minConf, ...CONFIDENCES];
  const day = (key: 'from' | 'to') => (
    <label>
      <span safe>{words[key]}</span>
      {/* The URL can contain a time, which a date field cannot show. */}
      <input
        type={/^(\d{4}-\d\d-\d\d)?$/.test(state[key] ?? '') ? 'date' : 'text'}
        form="search"
        name={key}
        value={state[key] ?? ''}
      />
    </label>
  );
  const checkbox = (key: 'has_report' | 'hidden', label: string) => (
    <label class="check">
      <input type="checkbox" form="search" name={key} value="true" checked={state[key] === 'true'} />
      <span safe>{label}</span>
    </label>
  );
  return (
    <div class="fields">
      <label>
        <span safe>{words.minConf}</span>
        <select form="search" name="min_conf">
          <Option value="" text={words.anyConf} />
          {choices.map((value) => (
            <Option value={value} selected={value === minConf} text={formatPercent(Number(value), language)} />
          ))}
        </select>
      </label>
      <div class="days">
        {day('from')}
        {day('to')}
      </div>
      {checkbox('has_report', words.hasReport)}
      {moderator ? checkbox('hidden', words.hidden) : ''}
      <noscript>
        <Button type="submit" form="search" text={words.apply} />
      </noscript>
    </div>
  );
}
