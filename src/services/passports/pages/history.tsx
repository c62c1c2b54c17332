import { createOnce } from '../../../base/create-once.ts';
import { fill } from '../../../ui/browser/fill.ts';
import { P } from '../../../ui/text-elements.tsx';
import { Timestamp } from '../../../ui/timestamp.tsx';
import type { CompletedDocument, HistoryEntry } from '../documents.ts';
import type { Value } from '../extraction.ts';
import { tableRowNumbers } from '../present.ts';
import { type KeyTarget, resolveKey } from '../schema/keys.ts';
import { inLanguage, type Schema, type Section } from '../schema/schema.ts';
import { displayValue, type FieldsView, readableValue } from './fields.tsx';

/** The edits of a document, the latest first. */
export function History(props: {
  history: readonly HistoryEntry[];
  opened: CompletedDocument;
  schema: Schema;
  view: FieldsView;
}): JSX.Element {
  const { history, opened, schema, view } = props;
  const { fields, language, texts } = view;
  const known = new Map(fields.map((field) => [field.storedKey, field]));
  const rowsOf = createOnce((section: Section) => {
    const { stored, all } = tableRowNumbers(opened, schema, section);
    const visible = new Set(stored);
    let above = 0;
    // Where a deleted row would stand now.
    return new Map(
      all.map((row) => {
        const text = visible.has(row) ? `${texts.row.toLowerCase()} {row}` : texts.deletedRow;
        if (visible.has(row)) above++;
        return [row, fill(text, { row: visible.has(row) ? above : above + 1 })];
      }),
    );
  });
  const rowText = ({ section, row }: Extract<KeyTarget, { kind: 'cell' }>): string => rowsOf(section).get(row) ?? '';

  return (
    <details id="history" class="history" data-fresh="history">
      <summary safe>{`${texts.history} (${history.length})`}</summary>
      {history.length === 0 ? (
        <P class="hint" text={texts.noHistory} />
      ) : (
        <ol>
          {[...history].reverse().map(({ at, actor, key, from, to }) => {
            const field = known.get(key);
            // Undefined for a field of an earlier schema.
            const target = resolveKey(schema, key);
            const label = target ? inLanguage(target.spec.label, language) : key;
            const readable = (value: Value) =>
              (target ? readableValue(value, target.spec, view) : displayValue(value, language)) || texts.nothing;
            return (
              <li>
                <Timestamp at={at} language={language} />{' '}
                <span safe>
                  {fill(texts.edit, {
                    actor,
                    field: target?.kind === 'cell' ? `${label}, ${rowText(target)}` : label,
                    from: readable(from),
                    to: readable(to),
                  })}
                </span>
                {field !== undefined && (
                  <button
                    type="button"
                    id={`revert-${at.toISOString()}-${field.key}`}
                    class="small needs-script revert"
                    data-key={field.key}
                    data-value={displayValue(from, language)}
                    safe
                  >
                    {texts.revert}
                  </button>
                )}
              </li>
            );
          })}
        </ol>
      )}
    </details>
  );
}
