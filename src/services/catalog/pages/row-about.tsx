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
            <a class="button small" id="newer" rel="prev" href={recordUrl('../', newer)} safe>
              {`← ${words.newer}`}
            </a>
          )}
          {older !== null && (
            <a class="button small" id="older" rel="next" href={recordUrl('../', older)} safe>
              {`${words.older} →`}
            </a>
          )}
        </nav>
      </div>
      <h1 dir="auto">
        <UntrustedText text={recordTitle(row, language)} />
      </h1>
      <p class="hint">
        <span safe>{serviceTitle(row.service, words)}</span> · <Timestamp at={row.createdAt} language={language} /> UTC
        ·{' '}
        <a href="#report" safe>
          {words.report}
        </a>
      </p>
      {row.hidden && (
        <p class="notice" safe>
          {words.hiddenNote}
        </p>
      )}
    </div>
  );
}

export function About({ row, viewer }: { row: Row; viewer: Viewer }): JSX.Element {
  const { words } = viewer;
  const { model } = photoOf(row.result);
  return (
    <section class="panel about-record" aria-labelledby="about-title">
      <h2 id="about-title" safe>
        {words.about}
      </h2>
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
