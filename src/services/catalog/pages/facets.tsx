import { fill } from '../../../ui/browser/fill.ts';
import type { Facet, FacetName, Found } from '../search/found.ts';
import { addressOf, changed, type State } from './address.ts';
import type { Onlooker } from './frame.tsx';
import { filterSaid, shareOf } from './said.tsx';

const SHOWN = ['service', 'status', 'defect', 'master', 'surface'] as const satisfies readonly FacetName[];
/** More are behind a fold. */
const AT_ONCE = 8;
const SURENESSES = ['0.5', '0.7', '0.8', '0.9', '0.95'];

/** What the values of each filter would leave: a link each, which takes it or drops it. */
export function Facets(given: { found: Found; state: State; onlooker: Onlooker }): JSX.Element {
  const { found, state, onlooker } = given;
  return (
    <>
      {SHOWN.map((name) => {
        const facet = withChosen(found.facets?.[name] ?? [], state[name]);
        if (facet.length === 0) return '';
        return (
          <section class="facet" aria-labelledby={`facet-${name}`}>
            <h3 id={`facet-${name}`} safe>
              {onlooker.words.facets[name]}
            </h3>
            <Values name={name} facet={facet.slice(0, AT_ONCE)} state={state} onlooker={onlooker} />
            {facet.length > AT_ONCE ? (
              <details open={facet.slice(AT_ONCE).some(({ value }) => value === state[name])}>
                <summary safe>{`+ ${facet.length - AT_ONCE}`}</summary>
                <Values name={name} facet={facet.slice(AT_ONCE)} state={state} onlooker={onlooker} />
              </details>
            ) : (
              ''
            )}
          </section>
        );
      })}
    </>
  );
}

/** A filter that leaves nothing has no value to count; it can be dropped all the same. */
function withChosen(facet: Facet, chosen: string | undefined): Facet {
  if (chosen === undefined || facet.some(({ value }) => value === chosen)) return facet;
  return [{ value: chosen, count: 0, more: false }, ...facet];
}

function Values(given: { name: FacetName; facet: Facet; state: State; onlooker: Onlooker }): JSX.Element {
  const { name, facet, state, onlooker } = given;
  const { words, language } = onlooker;
  return (
    <ul>
      {facet.map(({ value, count, more }) => {
        const chosen = state[name] === value;
        const label = filterSaid(name, value, onlooker);
        const number = new Intl.NumberFormat(language).format(count);
        const counted = more ? fill(words.more, { count: number }) : number;
        const says = chosen ? fill(words.drop, { value: label }) : fill(words.take, { value: label, count: counted });
        return (
          <li>
            <a
              href={addressOf(changed(state, { [name]: chosen ? null : value }))}
              id={`facet-${name}-${value}`}
              aria-current={chosen ? 'true' : undefined}
              aria-label={says}
              data-swap
            >
              <bdi class="name" safe>
                {label}
              </bdi>
              <span class="count" safe>
                {chosen ? '×' : counted}
              </span>
            </a>
          </li>
        );
      })}
    </ul>
  );
}

/** The filters that are typed or ticked, as fields of the search form. */
export function FilterFields({ state, onlooker }: { state: State; onlooker: Onlooker }): JSX.Element {
  const { words, language, moderator } = onlooker;
  const sure = state['min_conf'];
  const choices = sure === undefined || SURENESSES.includes(sure) ? SURENESSES : [sure, ...SURENESSES];
  const day = (key: 'from' | 'to') => (
    <label>
      <span safe>{words[key]}</span>
      {/* A moment that somebody has written into the address is more exact than a field for days can say. */}
      <input
        type={/^(\d{4}-\d\d-\d\d)?$/.test(state[key] ?? '') ? 'date' : 'text'}
        form="search"
        name={key}
        value={state[key] ?? ''}
      />
    </label>
  );
  const tick = (key: 'has_report' | 'hidden', label: string) => (
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
          <option value="" safe>
            {words.anyConf}
          </option>
          {choices.map((value) => (
            <option value={value} selected={value === sure} safe>
              {shareOf(Number(value), language)}
            </option>
          ))}
        </select>
      </label>
      <div class="days">
        {day('from')}
        {day('to')}
      </div>
      {tick('has_report', words.hasReport)}
      {moderator ? tick('hidden', words.hidden) : ''}
      <noscript>
        <button type="submit" form="search" safe>
          {words.apply}
        </button>
      </noscript>
    </div>
  );
}
