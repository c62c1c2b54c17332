import { fill } from '../../../ui/browser/fill.ts';
import { Sheet } from '../../../ui/sheet.tsx';
import type { ReviewTexts } from '../browser/review-texts.ts';
import type { Opened } from '../documents.ts';
import type { PresentedField } from '../present.ts';

/** Pages that are shown at once; the pictures of the others come when they are looked for. */
const AT_ONCE = 3;

/** The pages of a document, each a drawing of its picture with a box for every value that was read from it. */
export function Sheets(given: { opened: Opened; fields: readonly PresentedField[]; words: ReviewTexts }): JSX.Element {
  const { opened, fields, words } = given;
  const { sheets } = opened.extraction;
  if (sheets.every(({ picture }) => picture === null)) return <p class="hint">{words.noPictures}</p>;
  return (
    <div class="sheets">
      {sheets.map((sheet, i) => {
        const page = i + 1;
        const label = fill(words.page, { page });
        const boxes = fields.filter((field) => field.page === page && field.bbox !== null);
        return (
          <figure class="sheet" id={`page-${page}`}>
            <Sheet
              sheet={sheet}
              label={label}
              address={`../api/task/${opened.id}/page/${page}`}
              boxes={boxes.map(({ key, bbox }) => ({ key, bbox: bbox! }))}
              later={i >= AT_ONCE}
              fresh={`boxes ${page}`}
            />
            <figcaption safe>{label}</figcaption>
          </figure>
        );
      })}
    </div>
  );
}
