import type { FastifyRequest } from 'fastify';
import { A, Button, Label, P, Span } from '../../../ui/text-elements.tsx';
import { CsrfInput } from '../../shared/csrf-input.tsx';
import type { RejectionCause } from '../../shared/error-page.tsx';
import { type FormFields, KeptText, rejectedFields, textIn } from '../../shared/rejected-form.tsx';
import { preferredLanguage } from '../../shared/task-routes.ts';
import { reviewTexts } from '../browser/review-texts.ts';
import { isCompleted } from '../documents.ts';
import { CONFIRM_FIELD, VERSION_FIELD } from '../edits.ts';
import { type PresentedField, presentFields } from '../present.ts';
import { resolveKey } from '../schema/keys.ts';
import { inLanguage, type Schema } from '../schema/schema.ts';
import { parseValue } from '../schema/values.ts';
import type { DocumentStore } from '../store/postgres.ts';
import { blankCell, displayValue, Input, readableValue } from './fields.tsx';
import type { Frame } from './frame.tsx';
import { UploadAgain } from './upload-again.tsx';

type Viewer = Awaited<ReturnType<Frame['viewer']>>;
interface RejectedForm {
  readonly status: number;
  readonly fields: FormFields;
  readonly id: string;
  readonly viewer: Pick<Viewer, 'language' | 'csrf'>;
  readonly problems: ReadonlyMap<string, string>;
}

/** The filled form of a rejected upload, edit or renaming; nothing for other forms. */
export function createRejectedForms(deps: {
  frame: Frame;
  documents: DocumentStore;
  schema: Schema;
  publicOrigins: readonly string[];
}) {
  const { frame, documents, schema, publicOrigins } = deps;

  // Often fails with the error that rejected the form, which is already logged.
  const viewerOf = (request: FastifyRequest) =>
    frame.viewer(request).catch(() => ({
      ...{ caller: undefined, csrf: undefined },
      language: preferredLanguage(request.headers['accept-language']),
    }));

  /** With the fields that differ from the document; with all fields if the document cannot be read. */
  async function readDocument(status: number, id: string, { caller }: Pick<Viewer, 'caller'>) {
    if (caller === undefined || ![403, 412, 422].includes(status)) return undefined;
    const document = await documents.findWithResult(caller, id).catch(() => undefined);
    return document && isCompleted(document) ? presentFields(document, schema) : undefined;
  }

  return async (status: number, request: FastifyRequest, { code, problems }: RejectionCause): Promise<JSX.Element> => {
    const { url } = request.routeOptions;
    if (url === '/upload') {
      return <UploadAgain request={request} viewer={await viewerOf(request)} publicOrigins={publicOrigins} />;
    }
    if (url !== '/task/:task_id/update' && url !== '/task/:task_id/rename') return '';
    const fields = await rejectedFields(status, request, publicOrigins);
    if (fields === undefined) return '';
    const { task_id: id } = request.params as { task_id: string };
    const viewer = await viewerOf(request);
    const form = { status, fields, id, viewer, problems };
    const isFinal = code === 'FORBIDDEN' || code === 'TASK_NOT_EDITABLE';
    if (url === '/task/:task_id/rename') return isFinal ? '' : <RejectedName {...form} />;
    const { language } = viewer;
    const typed = typedFields(fields, schema);
    const saved = await readDocument(status, id, viewer);
    if (!isFinal && status !== 412) return <RejectedEdits typed={changedFields(typed, saved)} form={form} />;
    const unsaved = changedRows(typed, saved ?? []);
    return <Unsaved typed={unsaved} hint={isFinal ? 'notSaved' : 'conflict'} id={id} language={language} />;
  };
}

/** The label of a field in the message of an invalid value. */
export function fieldLabel(schema: Schema, key: string, language: 'en' | 'ru'): string | undefined {
  const target = resolveKey(schema, key);
  return target && labelOf({ row: undefined, ...target }, language);
}

type Typed = PresentedField & { readonly value: string };

const typedFields = (fields: FormFields, schema: Schema): Typed[] =>
  Object.keys(fields).flatMap((key) => {
    const target = resolveKey(schema, key);
    if (target === undefined) return [];
    const row = target.kind === 'cell' ? target.row : undefined;
    return [{ ...blankCell(target.section, target.spec, 0), key, row, value: textIn(fields, key) }];
  });

/** The language of the page, and so the decimal separator, may have changed since the form was opened. */
function comparable({ spec, value }: PresentedField): string {
  const text = displayValue(value, 'en').trim();
  const parsed = parseValue(spec, text);
  return parsed.ok ? displayValue(parsed.value, 'en') : text;
}

function changedFields(typed: readonly Typed[], saved: readonly PresentedField[] | undefined) {
  if (saved === undefined) return typed;
  const texts = new Map(saved.map((field) => [field.key, comparable(field)]));
  return typed.filter((field) => comparable(field) !== (texts.get(field.key) ?? ''));
}

/**
 * Rows may have other numbers now: those that no row of the document equals, with their other values and with cleared
 * cells. Empty cells of the last row are left out: it is usually the one for a new row.
 */
function changedRows(typed: readonly Typed[], saved: readonly PresentedField[]): Typed[] {
  const rowOf = ({ section, row }: PresentedField) => `${section.key}:${row}`;
  const textsByRow = (cells: readonly PresentedField[]) => {
    const texts = new Map<string, string>();
    for (const cell of cells) {
      const text = JSON.stringify([cell.spec.key, comparable(cell)]);
      texts.set(rowOf(cell), (texts.get(rowOf(cell)) ?? cell.section.key) + text);
    }
    return texts;
  };
  const savedRows = new Set(textsByRow(saved).values());
  const typedRows = textsByRow(typed);
  const lastRows = new Map(typed.map(({ section, row }) => [section, row]));
  const changed = new Set(changedFields(typed, saved));
  return typed.filter((field) => {
    if (field.row === undefined) return changed.has(field);
    const isCleared = changed.has(field) && field.row !== lastRows.get(field.section);
    return (field.value !== '' || isCleared) && !savedRows.has(typedRows.get(rowOf(field))!);
  });
}

function labelOf({ section, spec, row }: Pick<Typed, 'section' | 'spec' | 'row'>, language: 'en' | 'ru'): string {
  const label = inLanguage(spec.label, language);
  return row === undefined
    ? label
    : `${inLanguage(section.title, language)}: ${label}, ${reviewTexts[language].row.toLowerCase()} ${row}`;
}

function RejectedEdits({ typed, form }: { typed: readonly Typed[]; form: RejectedForm }): JSX.Element {
  const { status, fields, id, viewer, problems } = form;
  const { language, csrf } = viewer;
  const texts = reviewTexts[language];
  const view = { fields: [], warnings: [], review: [], language, texts };
  const version = textIn(fields, VERSION_FIELD);
  return (
    <>
      <KeptText status={status} language={language} />
      <form method="post" action="update" class="values">
        <CsrfInput csrf={csrf} />
        {version !== '' && <input type="hidden" name={VERSION_FIELD} value={version} />}
        {typed.map((field) => {
          const problem = problems.get(field.key);
          return (
            <div class="field">
              <Label for={field.key} text={labelOf(field, language)} />
              <Input field={field} view={view} invalid={problem !== undefined} />
              <p class="field-notes" id={`notes-${field.key}`}>
                {problem && <Span class="problem" text={problem} />}
              </p>
            </div>
          );
        })}
        <div class="actions">
          <Button type="submit" class="primary" text={texts.save} />
          {textIn(fields, CONFIRM_FIELD) !== '' && (
            <Button type="submit" name={CONFIRM_FIELD} value="true" text={texts.saveAndConfirm} />
          )}
        </div>
      </form>
      <DocumentLink id={id} language={language} />
    </>
  );
}

/** As text, because saving it could replace values of another user, or is not possible. */
function Unsaved(props: {
  typed: readonly Typed[];
  hint: 'conflict' | 'notSaved';
  id: string;
  language: 'en' | 'ru';
}): JSX.Element {
  const { typed, hint, id, language } = props;
  const view = { fields: [], warnings: [], review: [], language, texts: reviewTexts[language] };
  return (
    <>
      <P class="notice" text={WORDS[language][hint]} />
      <ul id="unsaved">
        {typed.map((field) => (
          <li dir="auto" safe>
            {`${labelOf(field, language)}: ${readableValue(field.value, field.spec, view) || view.texts.nothing}`}
          </li>
        ))}
      </ul>
      <DocumentLink id={id} language={language} />
    </>
  );
}

function RejectedName({ status, fields, id, viewer: { language, csrf } }: RejectedForm): JSX.Element {
  const texts = reviewTexts[language];
  return (
    <>
      <KeptText status={status} language={language} />
      <form method="post" action="rename" class="rename">
        <CsrfInput csrf={csrf} />
        <Label for="name" text={texts.name} />
        <input id="name" name="name" type="text" value={textIn(fields, 'name')} maxlength="255" required />
        <Button type="submit" text={texts.save} />
      </form>
      <DocumentLink id={id} language={language} />
    </>
  );
}

const DocumentLink = ({ id, language }: { id: string; language: 'en' | 'ru' }): JSX.Element => (
  <p>
    <A href={`../${encodeURIComponent(id)}`} text={WORDS[language].toDocument} />
  </p>
);

const WORDS = {
  en: {
    conflict:
      'Your values were not saved. Open the document, compare, and enter them again where they are still right:',
    notSaved: 'Your values were not saved:',
    toDocument: 'Open the document',
  },
  ru: {
    conflict: 'Ваши значения не сохранены. Откройте документ, сверьте и введите их снова, если они ещё верны:',
    notSaved: 'Ваши значения не сохранены:',
    toDocument: 'Открыть документ',
  },
};
