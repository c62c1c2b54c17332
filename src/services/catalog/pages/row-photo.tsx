import { fill } from '../../../ui/browser/fill.ts';
import { heatmapTexts } from '../../../ui/browser/heatmap-texts.ts';
import { PictureFrame } from '../../../ui/picture-frame.tsx';
import { P, Span } from '../../../ui/text-elements.tsx';
import { className } from '../../shared/class-names.ts';
import type { Row } from '../search/search-types.ts';
import { classTitle, formatPercent, recordTitle } from './format.tsx';
import type { Viewer } from './frame.tsx';
import { photoOf } from './result-parsers.ts';
import { showInvisible } from './untrusted-text.ts';

/** Width in pixels of stored pictures. */
export const LARGE_WIDTH_PX = 1024;

export function RowPhoto({ row, viewer }: { row: Row; viewer: Viewer }): JSX.Element {
  const { words, language } = viewer;
  const { surface, masters, defects, isUnfamiliar, correction } = photoOf(row.result);
  return (
    <div class="detail">
      <Picture row={row} viewer={viewer} />
      <section class="panel outcome" aria-labelledby="result-title">
        {isUnfamiliar && <P class="result-head" data-unfamiliar="" text={words.unfamiliar} />}
        <div class="result-head" data-positive={String(defects.length === 0 && !isUnfamiliar)}>
          <h2 id="result-title" safe>
            {defects.length === 0
              ? words.looksSound
              : defects
                  .map(({ name, conf }, at) => {
                    const label = at === 0 ? classTitle(name, language) : showInvisible(className(name, language));
                    return `${label}, ${formatPercent(conf, language)}`;
                  })
                  .join(' · ')}
          </h2>
          {surface !== undefined && (
            <p class="surface">
              <span safe>{words.surface}</span> <strong safe>{classTitle(surface, language)}</strong>
            </p>
          )}
        </div>
        {correction && (
          <P class="hint" text={correction.confirmed ? words.confirmedByReviewer : words.correctedByReviewer} />
        )}
        <div id="classes">
          <Classes title={words.defects} classes={defects} empty={words.noDefects} tone="strong" viewer={viewer} />
          <Classes title={words.groups} classes={masters} empty="" tone="quiet" viewer={viewer} />
        </div>
        <P id="choose-class-hint" class="hint" hidden text={words.chooseClass} />
      </section>
    </div>
  );
}

export function Picture({ row, viewer: { words, language } }: { row: Row; viewer: Viewer }): JSX.Element {
  const { image, recordId } = row;
  if (image === null) {
    return <P class="panel no-picture hint" text={words.noPhoto} />;
  }
  return (
    <PictureFrame words={heatmapTexts[language]}>
      <img
        id="photo"
        src={`../image/${encodeURIComponent(recordId)}?w=${LARGE_WIDTH_PX}`}
        width={image.width}
        height={image.height}
        alt={fill(words.photo, { name: showInvisible(recordTitle(row, language)) })}
      />
    </PictureFrame>
  );
}

/** The script replaces these static bars with `browser/bars.ts`. */
function Classes(props: {
  title: string;
  classes: readonly { name: string; conf: number }[];
  empty: string;
  tone: string;
  viewer: Viewer;
}): JSX.Element {
  const { title, classes, empty, tone, viewer } = props;
  return (
    <section class="bars" data-tone={tone}>
      <h3 safe>{title}</h3>
      {classes.length === 0 && <p class="empty">{empty}</p>}
      {classes.map(({ name, conf }) => (
        <p class="bar">
          <Span class="name" text={classTitle(name, viewer.language)} />
          <Span class="value" text={formatPercent(conf, viewer.language)} />
          <svg class="track" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
            <rect class="fill" width={Math.max(0, Math.min(1, conf)) * 100} height="6" />
          </svg>
        </p>
      ))}
    </section>
  );
}
