import { fill } from '../../../ui/browser/fill.ts';
import { Sheet } from '../../../ui/sheet.tsx';
import type { Row } from '../search/found.ts';
import type { Onlooker } from './frame.tsx';
import { documentOf, type ReadField } from './results-shape.ts';
import { LARGE } from './row-photo.tsx';
import { shareOf } from './said.tsx';
import { visible } from './visible.ts';

export function RowDocument({ row, onlooker }: { row: Row; onlooker: Onlooker }): JSX.Element {
  const { words, language } = onlooker;
  const { fields, sheet } = documentOf(row.result);
  const boxes = fields.filter(({ page, bbox }) => page === 1 && bbox !== undefined);
  const sections = [...new Set(fields.map(({ section }) => section[language]))];
  const hasPicture = row.image !== null && sheet !== undefined;
  return (
    <div class={hasPicture ? 'detail' : ''}>
      {hasPicture ? (
        <section class="pages" aria-label={words.sheet} tabindex="0">
          <figure class="sheet">
            <Sheet
              sheet={sheet}
              label={words.sheet}
              address={`../image/${encodeURIComponent(row.recordId)}?w=${LARGE}`}
              boxes={boxes.map(({ key, bbox }) => ({ key, bbox: bbox! }))}
            />
            <figcaption safe>{words.sheet}</figcaption>
          </figure>
        </section>
      ) : (
        ''
      )}
      <section class="panel values" aria-labelledby="fields-title">
        <h2 id="fields-title" safe>
          {words.fields}
        </h2>
        {fields.length === 0 ? (
          <p class="hint" safe>
            {words.noFields}
          </p>
        ) : hasPicture ? (
          <p class="hint needs-script" safe>
            {words.boxHint}
          </p>
        ) : (
          ''
        )}
        {sections.map((section) => (
          <Section section={section} fields={fields} lit={hasPicture} onlooker={onlooker} />
        ))}
      </section>
    </div>
  );
}

function Section(props: {
  section: string;
  fields: readonly ReadField[];
  lit: boolean;
  onlooker: Onlooker;
}): JSX.Element {
  const { section, fields, lit, onlooker } = props;
  const here = fields.filter((field) => field.section[onlooker.language] === section);
  const single = here.filter(({ row }) => row === undefined);
  const cells = here.filter(({ row }) => row !== undefined);
  return (
    <>
      {section === '' ? '' : <h3 safe>{visible(section)}</h3>}
      {single.length > 0 ? (
        <dl class="facts">
          {single.map((field) => (
            <div>
              <dt safe>{visible(field.label[onlooker.language])}</dt>
              <Value tag="dd" field={field} lit={lit} onlooker={onlooker} />
            </div>
          ))}
        </dl>
      ) : (
        ''
      )}
      {cells.length > 0 ? <Rows section={section} cells={cells} lit={lit} onlooker={onlooker} /> : ''}
    </>
  );
}

function Rows(props: { section: string; cells: readonly ReadField[]; lit: boolean; onlooker: Onlooker }): JSX.Element {
  const { section, cells, lit, onlooker } = props;
  const columns = [...new Set(cells.map(({ label }) => label[onlooker.language]))];
  const rows = [...new Set(cells.map(({ row }) => row!))].sort((a, b) => a - b);
  return (
    <section class="scroll" tabindex="0" aria-label={visible(section)}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" safe>
                {visible(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {columns.map((column) => {
                const cell = cells.find((one) => one.row === row && one.label[onlooker.language] === column);
                return cell === undefined ? <td></td> : <Value tag="td" field={cell} lit={lit} onlooker={onlooker} />;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Value(props: { tag: 'dd' | 'td'; field: ReadField; lit: boolean; onlooker: Onlooker }): JSX.Element {
  const { tag, field, lit, onlooker } = props;
  const { words, language } = onlooker;
  const { key, value, confidence, page, bbox } = field;
  const hasBox = lit && page === 1 && bbox !== undefined;
  const facts = [
    ...(confidence === undefined ? [] : [shareOf(confidence, language)]),
    ...(page === undefined || page === 1 ? [] : [fill(words.otherPage, { page })]),
  ].join(' · ');
  const content = (
    <>
      {hasBox ? (
        <span class="read" data-key={key} tabindex="0" dir="auto" safe>
          {visible(value)}
        </span>
      ) : (
        <span class="read" dir="auto" safe>
          {visible(value)}
        </span>
      )}
      {facts === '' ? (
        ''
      ) : (
        <span class="hint" safe>
          {facts}
        </span>
      )}
    </>
  );
  return tag === 'dd' ? <dd class="value">{content}</dd> : <td class="value">{content}</td>;
}
