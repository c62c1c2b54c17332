import { fill } from '../../../ui/browser/fill.ts';
import { createNumberFormats } from '../../../ui/browser/number-formats.ts';
import { Button, P, Span, Textarea, Th } from '../../../ui/text-elements.tsx';
import type { ReviewTexts } from '../browser/review-texts.ts';
import type { Value, Warning } from '../extraction.ts';
import { enumLabels, type PresentedField } from '../present.ts';
import type { ReviewItem, ReviewReason } from '../review.ts';
import { inLanguage, type Section, type ValueSpec } from '../schema/schema.ts';
import { isNumbering } from '../schema/values.ts';
import { RowButton } from './row-button.tsx';

export interface FieldsView {
  readonly fields: readonly PresentedField[];
  readonly warnings: readonly Warning[];
  readonly review: readonly ReviewItem[];
  readonly language: 'en' | 'ru';
  readonly texts: ReviewTexts;
}

const reasonsOf = ({ key }: PresentedField, { review }: FieldsView): readonly ReviewReason[] =>
  review.find(({ field }) => field.key === key)?.reasons ?? [];

/** Why the field needs review, for people. */
const reasonTexts = (field: PresentedField, view: FieldsView): string[] =>
  reasonsOf(field, view).map((reason) => view.texts.reasons[reason]);

/** Fields to review first, then the others by section, then tables. Each field appears once. */
export function Fields(view: FieldsView): JSX.Element {
  const { fields, review, texts, language } = view;
  const single = fields.filter(({ row }) => row === undefined);
  const toCheck = review
    .flatMap(({ field }) => (field.row === undefined ? [field] : []))
    .sort((a, b) => (a.confidence ?? 0) - (b.confidence ?? 0));
  const rest = single.filter((field) => !toCheck.includes(field));
  const sections = [...new Set(fields.map(({ section }) => section))];
  return (
    <>
      <fieldset class="check">
        <legend safe>{texts.toReview}</legend>
        <P class="hint" text={review.length > 0 ? texts.reviewHint : texts.nothingToReview} />
        {toCheck.map((field) => (
          <OneField field={field} view={view} />
        ))}
      </fieldset>
      {sections
        .map((section) => ({ section, sectionFields: rest.filter((field) => field.section === section) }))
        .filter(({ sectionFields }) => sectionFields.length > 0)
        .map(({ section, sectionFields }) => (
          <fieldset>
            <legend safe>{inLanguage(section.title, language)}</legend>
            {sectionFields.map((field) => (
              <OneField field={field} view={view} />
            ))}
          </fieldset>
        ))}
      {sections
        .filter(({ table }) => table !== undefined)
        .map((section) => (
          <Table section={section} view={view} />
        ))}
    </>
  );
}

function OneField({ field, view }: { field: PresentedField; view: FieldsView }): JSX.Element {
  const { key, spec } = field;
  const label = inLanguage(spec.label, view.language);
  const unitName = spec.unit === undefined ? '' : (UNITS[view.language][spec.unit] ?? spec.unit);
  const unit = label.endsWith(`, ${unitName}`) ? '' : unitName;
  const fieldWarnings = view.warnings.filter((warning) => warning.fields?.includes(field.storedKey));
  const messages = new Set(fieldWarnings.map((warning) => warningText(warning, view)));
  return (
    <div class="field" data-field={key}>
      <label for={key}>
        <span safe>{label}</span>
        {unit === '' ? '' : <span class="unit" safe>{` ${unit}`}</span>}
      </label>
      <Input field={field} view={view} />
      <p class="field-notes" id={`notes-${key}`}>
        <span class="facts" data-fresh={`facts ${key}`}>
          <FieldFacts field={field} view={view} />
          {[...messages].map((message) => (
            <Span class="warning" text={message} />
          ))}
        </span>
        <span class="problem" role="alert"></span>
      </p>
    </div>
  );
}

function FieldFacts({ field, view }: { field: PresentedField; view: FieldsView }): JSX.Element {
  const { texts } = view;
  const { spec, value, confidence, source, page, original, editedAt } = field;
  // Its warning explains a failed check.
  const reasons = reasonsOf(field, view).filter((reason) => reason !== 'failed_check');
  const facts = [
    ...reasons.map((reason) => texts.reasons[reason]),
    ...(value === null && source === null ? [texts.empty] : []),
    ...(source === null ? [] : [texts.sources[source]]),
    ...(confidence === null ? [] : [fill(texts.confidence, { share: Math.floor(confidence * 100) })]),
    ...(page === null ? [] : [fill(texts.onPage, { page })]),
    ...(editedAt !== null && original !== null
      ? [fill(texts.original, { value: readableValue(original, spec, view) })]
      : []),
  ];
  const level = reasons.length > 0 ? 'low' : source === 'manual' ? 'manual' : confidence === null ? 'unknown' : 'high';
  return <Span class={`mark ${level}`} text={facts.join(' · ')} />;
}

export function Input(props: {
  field: PresentedField;
  view: FieldsView;
  label?: string;
  form?: string | undefined;
  invalid?: boolean;
}): JSX.Element {
  const { field, view, label, form, invalid = false } = props;
  const { key, spec, value } = field;
  const reasons = reasonTexts(field, view).join(' · ');
  const common = {
    id: key,
    name: key,
    form,
    'data-saved': displayValue(value, view.language),
    ...(invalid && { 'aria-invalid': 'true' }),
    ...(label === undefined ? { 'aria-describedby': `notes-${key}` } : { 'aria-label': label }),
    ...(reasons !== '' && { 'data-review': reasons }),
    ...(reasons !== '' && label !== undefined && { title: reasons }),
  };
  const choices = choicesOf(spec, view);
  if (choices !== undefined) {
    return (
      <select {...common}>
        <option value=""></option>
        {choices.map(([choice, choiceLabel]) => (
          <option value={choice} selected={displayValue(value, view.language) === choice} safe>
            {choiceLabel}
          </option>
        ))}
      </select>
    );
  }
  if (spec.type === 'date') return <input {...common} type="date" value={displayValue(value, view.language)} />;
  const text = displayValue(value, view.language);
  const lines = text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LINE_LENGTH)), 0);
  // A one-line input would remove line breaks.
  if (spec.type === 'string' && (text.includes('\n') || (lines > 1 && label === undefined))) {
    return <Textarea {...common} rows={String(Math.min(6, lines))} maxlength="10000" text={text} />;
  }
  const numeric = spec.type === 'number' || spec.type === 'integer';
  return (
    <input
      {...common}
      type="text"
      inputmode={numeric ? 'decimal' : 'text'}
      value={text}
      maxlength="10000"
      autocomplete="off"
      spellcheck="false"
    />
  );
}

/** Characters per line of the form. */
const LINE_LENGTH = 36;

function choicesOf(spec: ValueSpec, { language, texts }: FieldsView): [string, string][] | undefined {
  if (spec.type === 'boolean') {
    return [
      ['true', texts.yes],
      ['false', texts.no],
    ];
  }
  return enumLabels(spec, language);
}

function Table({ section, view }: { section: Section; view: FieldsView }): JSX.Element {
  const { language, texts } = view;
  const title = inLanguage(section.title, language);
  const { columns } = section.table!;
  const cells = view.fields.filter((field) => field.section === section && field.row !== undefined);
  const rows = Math.max(0, ...cells.map(({ row }) => row!));
  const blankCells = columns.map((spec) => blankCell(section, spec, rows + 1));
  const all = [...cells, ...blankCells];
  const forms = rowForms(view.fields).filter(({ section: one }) => one === section);
  return (
    <fieldset class="table" data-table={section.key}>
      <legend safe>{title}</legend>
      <section class="scroll" tabindex="0" aria-label={title}>
        <table>
          <thead>
            <tr>
              {columns.map((spec) => (
                <Th scope="col" text={inLanguage(spec.label, language)} />
              ))}
              <td></td>
            </tr>
          </thead>
          <tbody>
            {Array.from({ length: rows + 1 }, (_, i) => i + 1).map((row) => (
              <tr
                data-row={String(row)}
                data-stored-row={all.find((cell) => cell.row === row)!.storedKey.replace(/\.[^.]*$/, '') || undefined}
                class={row > rows ? 'new' : undefined}
              >
                {columns.map((spec) => {
                  const form = forms.find(({ from, to }) => from <= row && row <= to)?.id;
                  const cell = all.find((one) => one.row === row && one.spec === spec)!;
                  const label = `${inLanguage(spec.label, language)}, ${texts.row} ${row}`;
                  return (
                    <td
                      class={`type-${isNumbering(spec) ? 'numbering' : spec.type}${spec.numbering ? ' row-number' : ''}`}
                    >
                      <Input field={cell} view={view} label={label} form={form} />
                    </td>
                  );
                })}
                <td class="row-tools">
                  <RowButton class="insert-row" text={fill(texts.insertRow, { row })} sign="+↑" hidden={row > rows} />
                  <RowButton class="remove-row" text={fill(texts.removeRow, { row })} sign="×" hidden={row > rows} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p class="field-notes">
        <span class="mark low review-reasons" aria-live="polite"></span>
        <span class="problem" role="alert"></span>
      </p>
      <noscript>
        <div class="actions">
          {forms.map(({ id, from, to }) => (
            <Button type="submit" class="small" form={id} text={fill(texts.saveRows, { from, to })} />
          ))}
        </div>
      </noscript>
    </fieldset>
  );
}

/** Forms for table rows that do not fit into the main form, for browsers without a script. */
export function rowForms(fields: readonly PresentedField[]) {
  const sections = [...new Set(fields.map(({ section }) => section))].filter(({ table }) => table !== undefined);
  const blankCells = sections.reduce((sum, { table }) => sum + table!.columns.length, 0);
  if (fields.length + blankCells <= MAX_VALUES_PER_FORM) return [];
  return sections.flatMap((section) => {
    const rows = 1 + Math.max(0, ...fields.filter((field) => field.section === section).map(({ row = 0 }) => row));
    const each = Math.max(1, Math.floor(MAX_VALUES_PER_FORM / section.table!.columns.length));
    return Array.from({ length: Math.ceil(rows / each) }, (_, i) => {
      const [from, to] = [i * each + 1, Math.min(rows, (i + 1) * each)];
      return { id: `${section.key}-${from}`, section, from, to };
    });
  });
}

/** The service accepts 500 values per form, including hidden fields. */
const MAX_VALUES_PER_FORM = 480;

export function warningText({ code, message, fields = [] }: Warning, view: FieldsView): string {
  const { texts, language } = view;
  if (code === 'PAGE_DAMAGED') return language === 'en' ? message : texts.pageDamaged;
  if (code === 'PAGE_UNREAD') return language === 'en' ? message : texts.pageUnread;
  if (code.startsWith('LLM_')) return language === 'en' ? message : texts.noModel;
  if (code !== 'SUM_MISMATCH' && code !== 'ORDER_MISMATCH') return message;
  const about = fields
    .map((key) => view.fields.find(({ storedKey }) => storedKey === key))
    .filter((it) => it !== undefined);
  const labels = about.map(({ row, section, spec }) => {
    const label = inLanguage(spec.label, language);
    return row === undefined ? label : `${inLanguage(section.title, language)}: ${label}`;
  });
  return fill(texts.inconsistent, { fields: [...new Set(labels)].join(' · ') });
}

export const blankCell = (section: Section, spec: PresentedField['spec'], row: number): PresentedField => ({
  ...{ key: `${section.key}:${row}.${spec.key}`, storedKey: '', section, spec, row },
  ...{
    value: null,
    original: null,
    confidence: null,
    source: null,
    page: null,
    bbox: null,
    editedAt: null,
    disagrees: false,
  },
});

/** A value as the page shows it and its inputs accept it. */
export function displayValue(value: Value, language: 'en' | 'ru'): string {
  if (typeof value === 'number') return createNumberFormats(language).value(value);
  return value === null ? '' : String(value);
}

/** A value as a sentence shows it: a truth value or choice by its label. */
export function readableValue(value: Value, spec: ValueSpec, view: FieldsView): string {
  const shown = displayValue(value, view.language);
  return choicesOf(spec, view)?.find(([choice]) => choice === shown)?.[1] ?? shown;
}

const UNITS: Record<'en' | 'ru', Readonly<Record<string, string>>> = {
  en: { m2: 'm²', m: 'm', rub: '₽', percent: '%' },
  ru: { m2: 'м²', m: 'м', rub: '₽', percent: '%' },
};
