import { fill } from '../../../ui/browser/fill.ts';
import type { Found, Hit } from '../search/found.ts';
import { addressOf, changed, FILTERS, recordAddress, type State } from './address.ts';
import type { Onlooker } from './frame.tsx';
import { filterSaid, Moment, scored, serviceOf, Stranger } from './said.tsx';
import { counted, type Texts } from './texts.ts';
import { Tile } from './tile.tsx';

export type ViewName = 'gallery' | 'table';
export const PER_PAGE = 48;
const THUMBNAIL = 320;

/** A filter that could be dropped, and how many records there would be without it. */
export interface Loosened {
  readonly key: string;
  readonly total: number;
}

export interface ResultsView {
  readonly found: Found;
  readonly state: State;
  readonly view: ViewName;
  readonly page: number;
  readonly onlooker: Onlooker;
  /** Where nothing was found. */
  readonly loosened: readonly Loosened[];
}

/** What was found, as pictures or as a table, or what to do where nothing was. */
export function Results(given: ResultsView): JSX.Element {
  const { found, view, onlooker } = given;
  if (found.items.length === 0) return <Nothing {...given} />;
  return (
    <>
      {view === 'gallery' ? (
        <ul class="gallery">
          {found.items.map((hit) => (
            <Card hit={hit} onlooker={onlooker} />
          ))}
        </ul>
      ) : (
        <Table items={found.items} onlooker={onlooker} />
      )}
      <Paging {...given} />
    </>
  );
}

/** Each filter as a chip that drops it. */
export function Chips({ state, onlooker }: { state: State; onlooker: Onlooker }): JSX.Element {
  const { words } = onlooker;
  const active = FILTERS.filter((key) => key in state);
  if (active.length === 0) return '';
  return (
    <ul class="chips" aria-label={words.active}>
      {active.map((key) => {
        const said = filterSaid(key, state[key]!, onlooker);
        return (
          <li>
            <a
              class="chip"
              id={`chip-${key}`}
              href={addressOf(changed(state, { [key]: null }))}
              aria-label={fill(words.drop, { value: said })}
              data-swap
            >
              <bdi safe>{said}</bdi> <span aria-hidden="true">×</span>
            </a>
          </li>
        );
      })}
      <li>
        <a id="reset" href="./reset" safe>
          {words.reset}
        </a>
      </li>
    </ul>
  );
}

function Card({ hit, onlooker }: { hit: Hit; onlooker: Onlooker }): JSX.Element {
  const { words, language } = onlooker;
  return (
    <li class="card" data-record={hit.recordId}>
      <Tile hit={hit} root="" words={words} width={THUMBNAIL} />
      <div class="caption">
        <a class="name" href={recordAddress('', hit.recordId)} dir="auto">
          <Stranger text={hit.title || hit.recordId} />
        </a>
        <Verdict hit={hit} onlooker={onlooker} />
        <p class="hint">
          <span safe>{serviceOf(hit.service, words)}</span> · <Moment at={hit.createdAt} language={language} />
        </p>
        <Marks hit={hit} onlooker={onlooker} />
      </div>
    </li>
  );
}

/** What came out, in a line: the surest defects, or what kind of answer it is. */
function Verdict({ hit, onlooker }: { hit: Hit; onlooker: Onlooker }): JSX.Element {
  const { words, language } = onlooker;
  if (hit.status === 'failed') return <p class="verdict-line bad">{words.failed}</p>;
  const [first, ...others] = hit.defects;
  if (first !== undefined) {
    const more = others.length > 0 ? ` + ${others.length}` : '';
    return (
      <p class="verdict-line">
        <bdi safe>{scored(first, language) + more}</bdi>
      </p>
    );
  }
  if (hit.service === 'defectoscopy') return <p class="verdict-line good">{words.looksSound}</p>;
  if (hit.image === null || hit.snippet === '') return '';
  return (
    <p class="verdict-line quiet" dir="auto">
      <Stranger text={hit.snippet} />
    </p>
  );
}

function Marks({ hit, onlooker }: { hit: Hit; onlooker: Onlooker }): JSX.Element {
  const { words, language } = onlooker;
  if (!hit.hidden && hit.openReports === 0) return '';
  return (
    <p class="marks">
      {hit.hidden ? <span class="mark bad">{words.isHidden}</span> : ''}
      {hit.openReports > 0 ? (
        <span class="mark warn" safe>
          {counted(words.reported, hit.openReports, language)}
        </span>
      ) : (
        ''
      )}
    </p>
  );
}

function Table({ items, onlooker }: { items: readonly Hit[]; onlooker: Onlooker }): JSX.Element {
  const { words, language } = onlooker;
  const { columns } = words;
  return (
    <section class="scroll" tabindex="0" aria-label={words.results}>
      <table class="hits">
        <thead>
          <tr>
            <th scope="col" colspan="2" safe>
              {columns.what}
            </th>
            <th scope="col" safe>
              {columns.found}
            </th>
            <th scope="col" safe>
              {columns.service}
            </th>
            <th scope="col" safe>
              {columns.when}
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((hit) => (
            <tr data-record={hit.recordId}>
              <td class="picture-cell">
                <Tile hit={hit} root="" words={words} width={THUMBNAIL} />
              </td>
              <th scope="row">
                <a class="name" href={recordAddress('', hit.recordId)} dir="auto">
                  <Stranger text={hit.title || hit.recordId} />
                </a>
                <p class="snippet" dir="auto">
                  <Stranger text={hit.snippet} />
                </p>
                <Marks hit={hit} onlooker={onlooker} />
              </th>
              <td>
                <Found hit={hit} onlooker={onlooker} />
              </td>
              <td safe>{serviceOf(hit.service, words)}</td>
              <td class="when">
                <Moment at={hit.createdAt} language={language} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const IN_TABLE = 4;

function Found({ hit, onlooker }: { hit: Hit; onlooker: Onlooker }): JSX.Element {
  const { words, language } = onlooker;
  if (hit.status === 'failed') return <span class="mark bad">{words.failed}</span>;
  if (hit.defects.length === 0) return hit.service === 'defectoscopy' ? <span>{words.looksSound}</span> : '';
  return (
    <ul class="found">
      {hit.defects.slice(0, IN_TABLE).map((defect) => (
        <li>
          <bdi safe>{scored(defect, language)}</bdi>
        </li>
      ))}
    </ul>
  );
}

function Paging({ found, state, page, onlooker }: ResultsView): JSX.Element {
  const { words } = onlooker;
  const pages = Math.max(1, Math.ceil(found.total / PER_PAGE));
  if (pages === 1 && page === 1) return '';
  // With `upto` the next page continues this one, whatever is indexed meanwhile.
  const to = (other: number) =>
    addressOf(changed(state, { page: other === 1 ? null : String(other), upto: other === 1 ? null : String(found.upTo) }));
  return (
    <nav class="paging" aria-label={fill(words.pageOf, { page, pages })}>
      {page > 1 ? (
        <a class="button" rel="prev" id="page-prev" href={to(page - 1)} data-swap="page" safe>
          {`← ${words.earlier}`}
        </a>
      ) : (
        ''
      )}
      <span safe>{fill(words.pageOf, { page, pages })}</span>
      {page < pages ? (
        <a class="button" rel="next" id="page-next" href={to(page + 1)} data-swap="page" safe>
          {`${words.next} →`}
        </a>
      ) : (
        ''
      )}
    </nav>
  );
}

function Nothing({ state, onlooker, loosened }: ResultsView): JSX.Element {
  const { words } = onlooker;
  if (FILTERS.every((key) => !(key in state))) return <Empty words={words} />;
  return (
    <section class="panel nothing">
      <h2 safe>{words.none}</h2>
      <p class="hint" safe>
        {words.noneWhy}
      </p>
      {loosened.length > 0 ? (
        <ul>
          {loosened.map(({ key, total }) => (
            <li>
              <a href={addressOf(changed(state, { [key]: null }))} data-swap>
                <bdi safe>
                  {fill(words.without, { filter: filterSaid(key, state[key]!, onlooker), count: total })}
                </bdi>
              </a>
            </li>
          ))}
        </ul>
      ) : (
        ''
      )}
      <p>
        <a href="./reset" safe>
          {words.reset}
        </a>
      </p>
    </section>
  );
}

const Empty = ({ words }: { words: Texts }): JSX.Element => (
  <section class="panel nothing">
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
