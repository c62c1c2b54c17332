import { fill } from '../../../ui/browser/fill.ts';
import { DocumentPage } from '../../../ui/document-page.tsx';
import type { ReviewTexts } from '../browser/review-texts.ts';
import type { CompletedDocument } from '../documents.ts';
import type { PresentedField } from '../present.ts';

/** Pages whose images load immediately; later ones load on scroll. */
const EAGER_PAGES = 3;

export function PageImages(props: {
  opened: CompletedDocument;
  fields: readonly PresentedField[];
  texts: ReviewTexts;
}): JSX.Element {
  const { opened, fields, texts } = props;
  const { sheets } = opened.extraction;
  if (sheets.every(({ picture }) => picture === null)) return <p class="hint">{texts.noPictures}</p>;
  return (
    <div class="sheets">
      {sheets.map((sheet, i) => {
        const page = i + 1;
        const label = fill(texts.page, { page });
        const boxes = fields.filter((field) => field.page === page && field.bbox !== null);
        return (
          <figure class="sheet" id={`page-${page}`}>
            <DocumentPage
              frame={sheet}
              label={label}
              loading={sheet.picture === null ? undefined : fill(texts.loadingPage, { page })}
              address={`../api/task/${opened.id}/page/${page}`}
              boxes={boxes.map(({ key, bbox }) => ({ key, bbox: bbox! }))}
              lazy={i >= EAGER_PAGES}
              boxesKey={`boxes ${page}`}
            />
            <figcaption safe>{label}</figcaption>
          </figure>
        );
      })}
    </div>
  );
}
