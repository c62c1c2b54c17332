import type { Hit } from '../search/found.ts';
import { recordAddress } from './address.ts';
import type { Viewer } from './frame.tsx';
import { Moment, nameOf, Stranger, scored, serviceOf } from './said.tsx';
import { counted } from './texts.ts';
import { Tile } from './tile.tsx';

const THUMBNAIL_PX = 320;

export function Card({ hit, viewer }: { hit: Hit; viewer: Viewer }): JSX.Element {
  const { words, language } = viewer;
  return (
    <li class="card" data-record={hit.recordId}>
      <Tile hit={hit} root="" words={words} language={language} width={THUMBNAIL_PX} />
      <div class="caption">
        <a class="name" href={recordAddress('', hit.recordId)} dir="auto">
          <Stranger text={nameOf(hit, language)} />
        </a>
        <Outcome hit={hit} viewer={viewer} />
        <p class="hint">
          <span safe>{serviceOf(hit.service, words)}</span> · <Moment at={hit.createdAt} language={language} />
        </p>
        <Marks hit={hit} viewer={viewer} />
      </div>
    </li>
  );
}

function Outcome({ hit, viewer }: { hit: Hit; viewer: Viewer }): JSX.Element {
  const { words, language } = viewer;
  if (hit.status === 'failed') return <p class="verdict-line bad">{words.failed}</p>;
  const [first, ...others] = hit.defects;
  if (first !== undefined) {
    const more = others.length > 0 ? ` +\u00a0${others.length}` : '';
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

export function Marks({ hit, viewer }: { hit: Hit; viewer: Viewer }): JSX.Element {
  const { words, language } = viewer;
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
