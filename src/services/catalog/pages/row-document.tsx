import { fill } from '../../../ui/browser/fill.ts';
import { DocumentPage } from '../../../ui/document-page.tsx';
import { H2, P, Span, Th } from '../../../ui/text-elements.tsx';
import type { Row } from '../search/search-types.ts';
import { formatFieldValue, formatPercent, Hint } from './format.tsx';
import type { Viewer } from './frame.tsx';
import { documentOf, type ReadField } from './result-parsers.ts';
import { LARGE_WIDTH_PX } from './row-photo.tsx';
import { showInvisible } from './untrusted-text.ts';

export function RowDocument({ row, viewer }: { row: Row; viewer: Viewer }): JSX.Element {
  const { words, language } = viewer;
  const { fields, sheet } = documentOf(row.result);
  const boxes = fields.filter(({ page, bbox }) => page === 1 && bbox !== undefined);
  const sections = [...new Set(fields.map(({ section }) => section[language]))];
  const hasPicture = row.image !== null && sheet !== undefined;
  return (
    <div class={hasPicture ? 'detail' : ''}>
      {hasPicture && (
        <section class="pages" aria-label={words.sheet} tabindex="0">
          <figure class="sheet">
            <DocumentPage
              frame={sheet}
              label={words.sheet}
              address={`../image/${encodeURIComponent(row.recordId)}?w=${LARGE_WIDTH_PX}`}
              boxes={boxes.map(({ key, bbox }) => ({ key, bbox: bbox! }))}
            />
            <figcaption safe>{words.sheet}</figcaption>
          </figure>
        </section>
      )}
      <section class="panel values" aria-labelledby="fields-title">
        <H2 id="fields-title" text={words.fields} />
        {fields.length === 0 ? (
          <Hint text={words.noFields} />
        ) : hasPicture ? (
          <P class="hint needs-script" text={words.boxHint} />
        ) : (
          ''
        )}
        {sections.map((section) => (
          <Section section={section} fields={fields} lit={hasPicture} viewer={viewer} />
        ))}
      </section>
    </div>
  );
}

function Section(props: { section: string; fields: readonly ReadField[]; lit: boolean; viewer: Viewer }): JSX.Element {
  const { section, fields, lit, viewer } = props;
  const here = fields.filter((field) => field.section[viewer.language] === section);
  const single = here.filter(({ row }) => row === undefined);
  const cells = here.filter(({ row }) => row !== undefined);
  return (
    <>
      {section !== '' && <h3 safe>{showInvisible(section)}</h3>}
      {single.length > 0 && (
        <dl class="facts">
          {single.map((field) => (
            <div>
              <dt safe>{showInvisible(field.label[viewer.language])}</dt>
              <Value tag="dd" field={field} lit={lit} viewer={viewer} />
            </div>
          ))}
        </dl>
      )}
      {cells.length > 0 && <Rows section={section} cells={cells} lit={lit} viewer={viewer} />}
    </>
  );
}

function Rows(props: { section: string; cells: readonly ReadField[]; lit: boolean; viewer: Viewer }): JSX.Element {
  const { section, cells, lit, viewer } = props;
  const columns = [...new Set(cells.map(({ label }) => label[viewer.language]))];
  const rows = [...new Set(cells.map(({ row }) => row!))].sort((a, b) => a - b);
  return (
    <section class="scroll" tabindex="0" aria-label={showInvisible(section)}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <Th scope="col" text={showInvisible(column)} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {columns.map((column) => {
                const cell = cells.find((one) => one.row === row && one.label[viewer.language] === column);
                return cell === undefined ? <td></td> : <Value tag="td" field={cell} lit={lit} viewer={viewer} />;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Value(props: { tag: 'dd' | 'td'; field: ReadField; lit: boolean; viewer: Viewer }): JSX.Element {
  const { tag, field, lit, viewer } = props;
  const { words, language } = viewer;
  const { key, value, confidence, page, bbox } = field;
  const hasBox = lit && page === 1 && bbox !== undefined;
  const facts = [
    ...(confidence === undefined ? [] : [formatPercent(confidence, language)]),
    ...(page === undefined || page === 1 ? [] : [fill(words.otherPage, { page })]),
  ].join(' · ');
  const content = (
    <>
      <Span
        class="field-value"
        {...(hasBox && { 'data-key': key, tabindex: '0' })}
        dir="auto"
        text={showInvisible(formatFieldValue(value, language))}
      />
      {facts !== '' && <Span class="hint" text={facts} />}
    </>
  );
  return tag === 'dd' ? <dd class="value">{content}</dd> : <td class="value">{content}</td>;
}
