import { Th } from '../../../ui/text-elements.tsx';
import { Timestamp } from '../../../ui/timestamp.tsx';
import type { Hit } from '../search/search-types.ts';
import { Badges, Groups } from './card.tsx';
import {
  formatScore,
  HitFields,
  recordTitle,
  serviceTitle,
  summaryLine,
  UntrustedParagraph,
  UntrustedText,
} from './format.tsx';
import type { Viewer } from './frame.tsx';
import { recordUrl } from './search-url.ts';
import { Thumbnail } from './thumbnail.tsx';

export function HitsTable(props: { items: readonly Hit[]; root?: string; viewer: Viewer }): JSX.Element {
  const { items, root = '', viewer } = props;
  const { words, language } = viewer;
  const { columns } = words;
  return (
    <section class="scroll" tabindex="0" aria-label={words.views.table}>
      <table class="hits">
        <thead>
          <tr>
            <Th scope="col" colspan="2" text={columns.what} />
            {[columns.found, columns.service, columns.when].map((title) => (
              <Th scope="col" text={title} />
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((hit) => (
            <tr data-record={hit.recordId}>
              <td class="picture-cell">
                <Thumbnail hit={hit} root={root} viewer={viewer} />
              </td>
              <th scope="row">
                <a class="name" href={recordUrl(root, hit.recordId)} dir="auto">
                  <UntrustedText text={recordTitle(hit, language)} />
                </a>
                {/* A photo's text repeats the class names of the next column. */}
                {!(hit.service === 'defectoscopy' && hit.status === 'done') &&
                  (HitFields({ hit, viewer }) ?? (
                    <UntrustedParagraph class="snippet" text={summaryLine(hit, viewer)} />
                  ))}
                <Groups hit={hit} root={root || './'} />
                <Badges hit={hit} viewer={viewer} />
              </th>
              <td>
                <Findings hit={hit} viewer={viewer} />
              </td>
              <td class="service" safe>
                {serviceTitle(hit.service, words)}
              </td>
              <td class="date">
                <Timestamp at={hit.createdAt} language={language} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const MAX_DEFECTS = 4;

function Findings({ hit, viewer: { words, language } }: { hit: Hit; viewer: Viewer }): JSX.Element {
  if (hit.status === 'failed') return <span class="mark bad">{words.failed}</span>;
  if (hit.defects.length === 0) return hit.service === 'defectoscopy' ? <span>{words.looksSound}</span> : '';
  return (
    <ul class="findings">
      {hit.defects.slice(0, MAX_DEFECTS).map((defect) => (
        <li>
          <bdi safe>{formatScore(defect, language)}</bdi>
        </li>
      ))}
    </ul>
  );
}
