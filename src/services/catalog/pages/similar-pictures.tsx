import { fill } from '../../../ui/browser/fill.ts';
import { H2, Span } from '../../../ui/text-elements.tsx';
import { Timestamp } from '../../../ui/timestamp.tsx';
import type { SimilarHit } from '../search/similar.ts';
import { formatPercent, Hint, recordTitle, UntrustedText } from './format.tsx';
import type { Viewer } from './frame.tsx';
import { recordUrl } from './search-url.ts';
import { formatCount } from './texts.ts';
import { Thumbnail } from './thumbnail.tsx';

/** `hits` are undefined when they could not be found in time. */
export function SimilarPictures(props: { hits: readonly SimilarHit[] | undefined; viewer: Viewer }): JSX.Element {
  const { hits, viewer } = props;
  const { words, language } = viewer;
  if (hits === undefined) return <Hint text={words.similarFailed} />;
  if (hits.length === 0) return '';
  return (
    <section class="similar" aria-labelledby="similar-title">
      <H2 id="similar-title" text={words.similar} />
      <ul>
        {hits.map((hit) => (
          <li data-record={hit.recordId}>
            <a href={recordUrl('../', hit.recordId)}>
              <Thumbnail hit={hit} root="../" viewer={viewer} />
              <span class="name" dir="auto">
                <UntrustedText text={recordTitle(hit, language)} />
              </span>
              {hit.samePhoto ? (
                <Span class="mark" text={words.samePhoto} />
              ) : (
                <Span
                  class="hint"
                  text={fill(words.similarity, { value: formatPercent(hit.similarity ?? 0, language) })}
                />
              )}
              {hit.copies !== undefined && hit.copies > 0 && (
                <Span class="hint" text={formatCount(words.copies, hit.copies, language)} />
              )}
              <span class="hint">
                <Timestamp at={hit.createdAt} language={language} />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
