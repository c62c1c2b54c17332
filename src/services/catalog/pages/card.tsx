import { Span } from '../../../ui/text-elements.tsx';
import { Timestamp } from '../../../ui/timestamp.tsx';
import type { Hit } from '../search/search-types.ts';
import { formatScore, HitFields, recordTitle, serviceTitle, UntrustedParagraph, UntrustedText } from './format.tsx';
import type { Viewer } from './frame.tsx';
import { recordUrl } from './search-url.ts';
import { formatCount } from './texts.ts';
import { Thumbnail } from './thumbnail.tsx';

export function Card({ hit, viewer }: { hit: Hit; viewer: Viewer }): JSX.Element {
  const { words, language } = viewer;
  return (
    <li class="card" data-record={hit.recordId}>
      <Thumbnail hit={hit} root="" viewer={viewer} />
      <div class="caption">
        <a class="name" href={recordUrl('', hit.recordId)} dir="auto">
          <UntrustedText text={recordTitle(hit, language)} />
        </a>
        <Outcome hit={hit} viewer={viewer} />
        <p class="hint">
          <span safe>{serviceTitle(hit.service, words)}</span> · <Timestamp at={hit.createdAt} language={language} />
        </p>
        <Groups hit={hit} root="./" />
        <Badges hit={hit} viewer={viewer} />
      </div>
    </li>
  );
}

function Outcome({ hit, viewer }: { hit: Hit; viewer: Viewer }): JSX.Element {
  const { words, language } = viewer;
  if (hit.status === 'failed') return <p class="result-line bad">{words.failed}</p>;
  const [first, ...others] = hit.defects;
  if (first !== undefined) {
    const more = others.length > 0 ? ` +\u00a0${others.length}` : '';
    return (
      <p class="result-line">
        <bdi safe>{formatScore(first, language) + more}</bdi>
      </p>
    );
  }
  if (hit.service === 'defectoscopy') return <p class="result-line good">{words.looksSound}</p>;
  const fields = HitFields({ hit, viewer });
  if (fields !== undefined) return fields;
  if (hit.image === null || hit.snippet === '') return '';
  return <UntrustedParagraph class="result-line muted" text={hit.snippet} />;
}

/** The project and the tags, each of which opens its records. */
export function Groups({ hit: { project, tags }, root }: { hit: Hit; root: string }): JSX.Element {
  if (project === null && tags.length === 0) return '';
  const link = (name: 'project' | 'tag', value: string) => (
    <a class="group" href={`${root}?${new URLSearchParams({ [name]: value })}`} dir="auto">
      <UntrustedText text={value} />
    </a>
  );
  return (
    <p class="groups">
      {project !== null && link('project', project)}
      {tags.map((tag) => link('tag', tag))}
    </p>
  );
}

export function Badges({ hit, viewer: { words, language } }: { hit: Hit; viewer: Viewer }): JSX.Element {
  if (!hit.hidden && hit.openReports === 0) return '';
  return (
    <p class="marks">
      {hit.hidden && <span class="mark bad">{words.isHidden}</span>}
      {hit.openReports > 0 && <Span class="mark warn" text={formatCount(words.reported, hit.openReports, language)} />}
    </p>
  );
}
