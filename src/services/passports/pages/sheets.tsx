import { fill } from '../../../ui/browser/fill.ts';
import type { ReviewTexts } from '../browser/review-texts.ts';
import type { Opened } from '../documents.ts';
import type { Box } from '../page.ts';
import type { PresentedField } from '../present.ts';

/** Pages that are shown at once; the pictures of the others come when they are looked for. */
const AT_ONCE = 3;

/**
 * The pages of a document, each a drawing of its picture with a box for every value that was read from it. Everything is
 * in points of the page, and one transformation sets page and boxes upright together.
 */
export function Sheets(given: { opened: Opened; fields: readonly PresentedField[]; words: ReviewTexts }): JSX.Element {
  const { opened, fields, words } = given;
  const { sheets } = opened.extraction;
  if (sheets.every(({ picture }) => picture === null)) return <p class="hint">{words.noPictures}</p>;
  return (
    <div class="sheets">
      {sheets.map((sheet, i) => {
        const page = i + 1;
        const address = `../api/task/${opened.id}/page/${page}`;
        const label = fill(words.page, { page });
        const across = sheet.turn % 180 === 90;
        const [width, height] = across ? [sheet.height, sheet.width] : [sheet.width, sheet.height];
        return (
          <figure class="sheet" id={`page-${page}`}>
            <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
              <g transform={upright(sheet)}>
                <image
                  {...(i < AT_ONCE ? { href: address } : { 'data-href': address })}
                  width={sheet.width}
                  height={sheet.height}
                  preserveAspectRatio="none"
                />
                <g data-fresh={`boxes ${page}`}>
                  {fields
                    .filter((field) => field.page === page && field.bbox !== null)
                    .map((field) => (
                      <rect class="box" data-key={field.key} {...placed(field.bbox!, sheet)} />
                    ))}
                </g>
              </g>
            </svg>
            <figcaption safe>{label}</figcaption>
          </figure>
        );
      })}
    </div>
  );
}

interface Sheet {
  readonly width: number;
  readonly height: number;
  readonly turn: 0 | 90 | 180 | 270;
}

/** Turns the page about its corner and moves it back into sight. */
function upright({ width, height, turn }: Sheet): string {
  const [x, y] = { 0: [0, 0], 90: [height, 0], 180: [width, height], 270: [0, width] }[turn] as [number, number];
  return `translate(${x} ${y}) rotate(${turn})`;
}

/** A little more than the words, so that the frame does not cross them. */
function placed([x0, y0, x1, y1]: Box, { width, height }: Sheet) {
  const room = 2;
  const points = (value: number) => value.toFixed(1);
  return {
    x: points(x0 * width - room),
    y: points(y0 * height - room),
    width: points((x1 - x0) * width + 2 * room),
    height: points((y1 - y0) * height + 2 * room),
    rx: '2',
  };
}
