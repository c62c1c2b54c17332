import { createOnce } from '../../../base/create-once.ts';
import { fill } from '../../../ui/browser/fill.ts';
import { P } from '../../../ui/text-elements.tsx';
import { Timestamp } from '../../../ui/timestamp.tsx';
import type { CompletedDocument, HistoryEntry } from '../documents.ts';
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
  const groups = groupByRow(history, schema);

  // A field of an earlier schema has no target.
  const labelOf = ({ key, target }: Edit): string => (target ? inLanguage(target.spec.label, language) : key);
  const readable = ({ target, ...values }: Edit, side: 'from' | 'to'): string =>
    target ? readableValue(values[side], target.spec, view) : displayValue(values[side], language);

  const sentence = (group: readonly Edit[]): string => {
    const { actor, target } = group[0]!;
    const valuesOf = (side: 'from' | 'to') =>
      group
        .map((edit) => ({ edit, value: readable(edit, side) }))
        .filter(({ value }) => value !== '')
        .map(({ edit, value }) => (group.length > 1 ? `${labelOf(edit)}: ${value}` : value))
        .join(' · ') || texts.nothing;
    const label = labelOf(group[0]!);
    const change = { actor, from: valuesOf('from'), to: valuesOf('to') };
    if (target?.kind !== 'cell') return fill(texts.edit, { ...change, field: label });
    const row = rowsOf(target.section).get(target.row) ?? '';
    return group.length > 1
      ? fill(texts.editRow, { ...change, table: inLanguage(target.section.title, language), row })
      : fill(texts.edit, { ...change, field: `${label}, ${row}` });
  };

  return (
    <details id="history" class="history" data-fresh="history">
      <summary safe>{`${texts.history} (${groups.length})`}</summary>
      {groups.length === 0 ? (
        <P class="hint" text={texts.noHistory} />
      ) : (
        <ol>
          {groups.reverse().map((group) => {
            const { at, key } = group[0]!;
            const values = group.flatMap(({ key, from }) => {
              const field = known.get(key);
              return field ? [[field.key, displayValue(from, language)]] : [];
            });
            // A row that was filled is deleted with its own button, which offers to undo it.
            const isRevertible = values.length > 0 && (group.length === 1 || values.some(([, text]) => text !== ''));
            return (
              <li>
                <Timestamp at={at} language={language} /> <span safe>{sentence(group)}</span>
                {isRevertible && (
                  <button
                    type="button"
                    id={`revert-${at.toISOString()}-${key}`}
                    class="small needs-script revert"
                    data-values={JSON.stringify(Object.fromEntries(values))}
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

interface Edit extends HistoryEntry {
  readonly target: KeyTarget | undefined;
}

/** One group for the cells that one save of a table row filled or emptied; the others are groups of their own. */
function groupByRow(history: readonly HistoryEntry[], schema: Schema): Edit[][] {
  const groups = new Map<string, Edit[]>();
  for (const [i, entry] of history.entries()) {
    const target = resolveKey(schema, entry.key);
    const side = entry.from === null ? 'filled' : entry.to === null ? 'emptied' : i;
    const place = target?.kind === 'cell' ? `${target.section.key}:${target.row}` : i;
    const group = [entry.at.getTime(), entry.actor, place, side].join();
    groups.set(group, [...(groups.get(group) ?? []), { ...entry, target }]);
  }
  return [...groups.values()];
}
