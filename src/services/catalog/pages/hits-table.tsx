import type { Hit } from '../search/found.ts';
import { recordAddress } from './address.ts';
import { Marks } from './card.tsx';
import type { Onlooker } from './frame.tsx';
import { lineOf, Moment, nameOf, Stranger, scored, serviceOf } from './said.tsx';
import { Tile } from './tile.tsx';

const THUMBNAIL = 320;

/** Records with more of what was found in them, line by line. */
export function HitsTable({ items, onlooker }: { items: readonly Hit[]; onlooker: Onlooker }): JSX.Element {
  const { words, language } = onlooker;
  const { columns } = words;
  return (
    <section class="scroll" tabindex="0" aria-label={words.views.table}>
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
                <Tile hit={hit} root="" words={words} language={language} width={THUMBNAIL} />
              </td>
              <th scope="row">
                <a class="name" href={recordAddress('', hit.recordId)} dir="auto">
                  <Stranger text={nameOf(hit, language)} />
                </a>
                {/* Of a photo the text is the names of its classes, which stand beside. */}
                {hit.service === 'defectoscopy' && hit.status === 'done' ? (
                  ''
                ) : (
                  <p class="snippet" dir="auto">
                    <Stranger text={lineOf(hit, language)} />
                  </p>
                )}
                <Marks hit={hit} onlooker={onlooker} />
              </th>
              <td>
                <Seen hit={hit} onlooker={onlooker} />
              </td>
              <td class="service" safe>
                {serviceOf(hit.service, words)}
              </td>
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

function Seen({ hit, onlooker }: { hit: Hit; onlooker: Onlooker }): JSX.Element {
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
