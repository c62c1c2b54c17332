import { A, H2, P } from '../../../ui/text-elements.tsx';
import type { Row } from '../search/search-types.ts';
import { fact, recordTitle, serviceTitle, Timestamp, UntrustedText } from './format.tsx';
import type { Viewer } from './frame.tsx';
import { photoOf } from './result-parsers.ts';
import { recordUrl } from './search-url.ts';
import { showInvisible } from './untrusted-text.ts';

export function Head({ row, back, viewer }: { row: Row; back: string; viewer: Viewer }): JSX.Element {
  const { words, language } = viewer;
  // Lists show newer records first, so "next" is older.
  const { prev: older, next: newer } = row;
  return (
    <div class="record-head">
      <div class="row">
        <p class="crumb">
          <a href={back} id="back" safe>{`← ${words.toResults}`}</a>
        </p>
        <nav class="neighbours" aria-label={words.neighbours} title={words.neighbourKeys}>
          {newer !== null && (
            <A class="button small" id="newer" rel="prev" href={recordUrl('../', newer)} text={`← ${words.newer}`} />
          )}
          {older !== null && (
            <A class="button small" id="older" rel="next" href={recordUrl('../', older)} text={`${words.older} →`} />
          )}
        </nav>
      </div>
      <h1 dir="auto">
        <UntrustedText text={recordTitle(row, language)} />
      </h1>
      <p class="hint">
        <span safe>{serviceTitle(row.service, words)}</span> · <Timestamp at={row.createdAt} language={language} /> UTC
        · <A href="#report" text={words.report} />
      </p>
      {row.hidden && <P class="notice" text={words.hiddenNote} />}
    </div>
  );
}

export function About({ row, viewer }: { row: Row; viewer: Viewer }): JSX.Element {
  const { words } = viewer;
  const { model } = photoOf(row.result);
  return (
    <section class="panel about-record" aria-labelledby="about-title">
      <H2 id="about-title" text={words.about} />
      <dl class="facts">
        {fact(words.recordId, <code safe>{showInvisible(row.recordId)}</code>)}
        {row.taskId !== null && fact(words.taskId, <code safe>{showInvisible(row.taskId)}</code>)}
        {model !== undefined && fact(words.model, <span safe>{showInvisible(model)}</span>)}
      </dl>
      <details class="task">
        <summary safe>{words.asJson}</summary>
        <pre tabindex="0" safe>
          {showInvisible(JSON.stringify(row.result, null, 2))}
        </pre>
      </details>
    </section>
  );
}
