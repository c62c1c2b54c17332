import { formatClock } from '../../../ui/browser/clock.ts';
import { fill } from '../../../ui/browser/fill.ts';
import { type Paragraph, paragraphs, wordSeparator } from '../../../ui/browser/paragraphs.ts';
import { H2, P, Span } from '../../../ui/text-elements.tsx';
import type { Row } from '../search/search-types.ts';
import { Hint, UntrustedText } from './format.tsx';
import type { Viewer } from './frame.tsx';
import { speechOf } from './result-parsers.ts';
import { showInvisible } from './untrusted-text.ts';

export function RowSpeech({ row, viewer }: { row: Row; viewer: Viewer }): JSX.Element {
  const { words } = viewer;
  const { text, language, segments, words: timedWords, isIncomplete } = speechOf(row.result);
  const hasSound = row.soundKey !== null;
  return (
    <section class="panel speech" aria-labelledby="transcript-title">
      {hasSound ? (
        <div class="player">
          {/* biome-ignore lint/a11y/useMediaCaption: the synchronized transcript is below. */}
          <audio
            id="audio"
            controls="controls"
            preload="metadata"
            src={`../sound/${encodeURIComponent(row.recordId)}`}
            aria-label={fill(words.player, { name: showInvisible(row.title) })}
          ></audio>
          <P id="playback-error" class="hint" hidden text={words.noSound} />
          <noscript>
            <Hint text={words.noSound} />
          </noscript>
        </div>
      ) : (
        <Hint text={words.noSound} />
      )}
      <H2 id="transcript-title" text={words.transcript} />
      {isIncomplete ? <P class="notice" text={words.notRecognized} /> : ''}
      {text === '' ? (
        isIncomplete ? (
          ''
        ) : (
          <p safe>{words.nothingHeard}</p>
        )
      ) : segments.length === 0 ? (
        <P class="prose" lang={language} dir="auto" text={showInvisible(text)} />
      ) : (
        <div id="transcript" class="transcript" lang={language}>
          {paragraphs(segments, timedWords).map((paragraph) => (
            <Line paragraph={paragraph} gap={wordSeparator(language)} hasSound={hasSound} viewer={viewer} />
          ))}
        </div>
      )}
    </section>
  );
}

function Line(props: { paragraph: Paragraph; gap: string; hasSound: boolean; viewer: Viewer }): JSX.Element {
  const { paragraph, gap, hasSound, viewer } = props;
  const { segment, parts } = paragraph;
  const time = formatClock(segment.start);
  return (
    <p>
      {hasSound ? (
        <button
          type="button"
          class="link time needs-script"
          data-at={String(segment.start)}
          aria-label={fill(viewer.words.playFrom, { time })}
          safe
        >
          {time}
        </button>
      ) : (
        <Span class="time" text={time} />
      )}
      <span class="line" dir="auto">
        {parts.map(({ start, end, text }) => (
          <>
            <span class="word" data-at={String(start)} data-end={String(end)}>
              <UntrustedText text={text} />
            </span>
            {gap}
          </>
        ))}
      </span>
    </p>
  );
}
