import { fill } from '../../../ui/browser/fill.ts';
import { Button, H3, Option } from '../../../ui/text-elements.tsx';
import { formatAttribute } from '../search/attributes.ts';
import type { Facet, FacetName, SearchResult } from '../search/search-types.ts';
import { filterLabel, formatPercent } from './format.tsx';
import type { Viewer } from './frame.tsx';
import type { SearchState } from './search-url.ts';
import { showInvisible } from './untrusted-text.ts';

const FACETS = [
  'service',
  'status',
  'project',
  'tag',
  'defect',
  'master',
  'surface',
] as const satisfies readonly FacetName[];
/** Further values are collapsed. */
const EXPANDED_COUNT = 8;
/** Further fields are collapsed. */
const EXPANDED_FIELDS = 5;
/** A field with fewer counted records is not nearly unique. */
const MIN_RECORDS = 10;
const CONFIDENCES = ['0.5', '0.7', '0.8', '0.9', '0.95'];

export function Facets(props: { found: SearchResult; state: SearchState; viewer: Viewer }): JSX.Element {
  const { found, state, viewer } = props;
  return (
    <>
      {FACETS.map((name) => (
        <FacetSection
          id={name}
          title={viewer.words.facets[name]}
          name={name}
          facet={withSelected(found.facets?.[name] ?? [], selectedOf(name, state))}
          {...{ state, viewer }}
        />
      ))}
    </>
  );
}

/** The texts of fields and attributes. Collapses nearly unique fields, such as addresses, and those after the first ones. */
export function FieldFacets({ found, state, viewer }: Parameters<typeof Facets>[0]): JSX.Element {
  const { attributes = [] } = found;
  const expanded = attributes.filter(({ values }) => !isNearlyUnique(values)).slice(0, EXPANDED_FIELDS);
  return (
    <>
      {attributes.map((facet, i) => {
        const { field, label, values } = facet;
        const selected = selectedOf('attribute', state).filter((each) => each.startsWith(`${field}=`));
        return (
          <section class="facet" aria-labelledby={`facet-attribute-${i}`}>
            <details open={selected.length > 0 || expanded.includes(facet)}>
              <summary>
                <H3 id={`facet-attribute-${i}`} text={showInvisible(label?.[viewer.language] ?? field)} />
              </summary>
              <CollapsedValues
                name="attribute"
                facet={withSelected(
                  values.map((each) => ({ ...each, value: formatAttribute({ field, value: each.value }) })),
                  selected,
                )}
                labelOf={(value) => showInvisible(value.slice(field.length + 1))}
                {...{ state, viewer }}
              />
            </details>
          </section>
        );
      })}
    </>
  );
}

/** Whether a value has fewer than two records on average. */
function isNearlyUnique(values: Facet): boolean {
  const records = values.reduce((sum, { count }) => sum + count, 0);
  return records >= MIN_RECORDS && records < 2 * values.length;
}

type FilterName = FacetName | 'attribute';

interface FacetProps {
  readonly name: FilterName;
  readonly facet: Facet;
  /** Absent: the label of the filter. */
  readonly labelOf?: (value: string) => string;
  readonly state: SearchState;
  readonly viewer: Viewer;
}

function FacetSection({ id, title, facet, ...props }: FacetProps & { id: string; title: string }): JSX.Element {
  if (facet.length === 0) return '';
  return (
    <section class="facet" aria-labelledby={`facet-${id}`}>
      <H3 id={`facet-${id}`} text={title} />
      <CollapsedValues facet={facet} {...props} />
    </section>
  );
}

function CollapsedValues({ facet, ...props }: FacetProps): JSX.Element {
  const selected = selectedOf(props.name, props.state);
  const further = facet.slice(EXPANDED_COUNT);
  return (
    <>
      <Values facet={facet.slice(0, EXPANDED_COUNT)} {...props} />
      {further.length > 0 && (
        <details open={further.some(({ value }) => selected.includes(value))}>
          <summary safe>{`+ ${further.length}`}</summary>
          <Values facet={further} {...props} />
        </details>
      )}
    </>
  );
}

const selectedOf = (name: FilterName, state: SearchState) => [...(state[name] ?? []), ...(state[`not_${name}`] ?? [])];

/** A selected value without results can still be removed. */
function withSelected(facet: Facet, selected: readonly string[]): Facet {
  const missing = [...new Set(selected)].filter((each) => !facet.some(({ value }) => value === each));
  return [...missing.map((value) => ({ value, count: 0, more: false })), ...facet];
}

function Values(props: FacetProps): JSX.Element {
  const { name, facet, labelOf, state, viewer } = props;
  const { words, language } = viewer;
  return (
    <ul>
      {facet.map(({ value, count, more }) => {
        const label = labelOf ? labelOf(value) : filterLabel(name, value, viewer);
        const number = new Intl.NumberFormat(language).format(count);
        const checkbox = (key: string, excludeLabel?: string) => (
          <input
            type="checkbox"
            form="search"
            name={key}
            value={value}
            id={`facet-${key}-${value}`}
            checked={state[key]?.includes(value)}
            aria-label={excludeLabel}
            autocomplete="off"
          />
        );
        return (
          <li>
            {checkbox(name)}
            <label for={`facet-${name}-${value}`}>
              <bdi class="name" safe>
                {label}
              </bdi>
              <span class="count" title={more ? fill(words.moreHint, { count: number }) : undefined} safe>
                {more ? fill(words.more, { count: number }) : number}
              </span>
            </label>
            <span class="exclude" title={words.exclude}>
              {checkbox(`not_${name}`, fill(words.excludeValue, { value: label }))}
              <span aria-hidden="true">−</span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

export function FilterFields({ state, viewer }: { state: SearchState; viewer: Viewer }): JSX.Element {
  const { words, language, moderator } = viewer;
  const minConf = state['min_conf']?.[0];
  const choices = minConf === undefined || CONFIDENCES.includes(minConf) ? CONFIDENCES : [minConf, ...CONFIDENCES];
  const day = (key: 'from' | 'to', value = state[key]?.[0] ?? '') => (
    <label>
      <span safe>{words[key]}</span>
      {/* The URL can contain a time, which a date field cannot show. */}
      <input type={/^(\d{4}-\d\d-\d\d)?$/.test(value) ? 'date' : 'text'} form="search" name={key} value={value} />
    </label>
  );
  const checkbox = (key: 'has_report' | 'duplicates' | 'hidden', label: string) => (
    <label class="check">
      <input type="checkbox" form="search" name={key} value="true" checked={state[key]?.[0] === 'true'} />
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
      {checkbox('duplicates', words.duplicates)}
      {moderator ? checkbox('hidden', words.hidden) : ''}
      <noscript>
        <Button type="submit" form="search" text={words.apply} />
      </noscript>
    </div>
  );
}
