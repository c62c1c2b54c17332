import type { Hit } from '../search/found.ts';
import { recordAddress } from './address.ts';
import { Marks } from './card.tsx';
import type { Viewer } from './frame.tsx';
import { lineOf, Moment, nameOf, Stranger, scored, serviceOf } from './said.tsx';
import { Tile } from './tile.tsx';

const THUMBNAIL_PX = 320;

export function HitsTable({ items, viewer }: { items: readonly Hit[]; viewer: Viewer }): JSX.Element {
  const { words, language } = viewer;
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
                <Tile hit={hit} root="" words={words} language={language} width={THUMBNAIL_PX} />
              </td>
              <th scope="row">
                <a class="name" href={recordAddress('', hit.recordId)} dir="auto">
                  <Stranger text={nameOf(hit, language)} />
                </a>
                {/* A photo's text repeats the class names of the next column. */}
                {hit.service === 'defectoscopy' && hit.status === 'done' ? (
                  ''
                ) : (
                  <p class="snippet" dir="auto">
                    <Stranger text={lineOf(hit, language)} />
                  </p>
                )}
                <Marks hit={hit} viewer={viewer} />
              </th>
              <td>
                <Findings hit={hit} viewer={viewer} />
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

const MAX_DEFECTS = 4;

function Findings({ hit, viewer }: { hit: Hit; viewer: Viewer }): JSX.Element {
  const { words, language } = viewer;
  if (hit.status === 'failed') return <span class="mark bad">{words.failed}</span>;
  if (hit.defects.length === 0) return hit.service === 'defectoscopy' ? <span>{words.looksSound}</span> : '';
  return (
    <ul class="found">
      {hit.defects.slice(0, MAX_DEFECTS).map((defect) => (
        <li>
          <bdi safe>{scored(defect, language)}</bdi>
        </li>
      ))}
    </ul>
  );
}
