import type { Queryable } from '../../base/db.ts';
import type { JsonObject } from '../../base/json.ts';
import { isCancelled, type RecordDraft, type RecordMaker } from '../shared/records.ts';
import { readStoredFile } from '../shared/stored-file.ts';
import { type CompletedDocument, type Document, isCompleted } from './documents.ts';
import { DRAWN_ON_REQUEST } from './extraction.ts';
import { type PresentedField, presentFields } from './present.ts';
import { toGrouping } from './responses.ts';
import { loadSchema } from './schema/load-schema.ts';
import { inLanguage, type Schema, type Wording } from './schema/schema.ts';
import { COMPLETED_COLUMNS, type CompletedRow, toDocumentWithResult } from './store/rows.ts';

/** Page images have at most 1600 × 1600 pixels and stay far below. */
const PICTURE_MAX_BYTES = 16 * 2 ** 20;

export function documentRecords(schemaFile: string | undefined): RecordMaker {
  // Loaded on first use; gateway and worker report an invalid file.
  let loaded: Schema | undefined;
  return {
    async drafts(db, tasks) {
      loaded ??= loadSchema(schemaFile);
      const schema = loaded;
      const completedTasks = tasks.filter((task) => !isCancelled(task));
      const documents = await documentsOf(
        db,
        completedTasks.map(({ id }) => id),
      );
      return documents.map((document) => (isCompleted(document) ? readDraft(document, schema) : failedDraft(document)));
    },

    showsPages: true,

    async picture({ files }, picture, signal) {
      if (typeof picture !== 'string') {
        const { drawPage } = await import('./images/draw-page.ts');
        return drawPage({ fileKey: (picture as { file: string }).file, page: 1 }, files, signal);
      }
      const bytes = await readStoredFile(files, picture, { maxBytes: PICTURE_MAX_BYTES, signal });
      return typeof bytes === 'string' ? undefined : bytes;
    },
  };
}

/** Of all owners: the catalog has its own access control. */
async function documentsOf(db: Queryable, ids: readonly string[]): Promise<(CompletedDocument | Document)[]> {
  const { rows } = await db.query<CompletedRow>(
    {
      name: 'passport-records',
      text: `
        select ${COMPLETED_COLUMNS}
          from passport_documents d
          join tasks_read_only t on t.id = d.id
         where d.id = any($1::text[]) and t.finished_at is not null`,
    },
    [ids],
  );
  return rows.map(toDocumentWithResult);
}

function failedDraft(document: Document): RecordDraft {
  const { id, createdAt, filename, error, errorType } = document;
  const result = { filename, error, error_code: errorType };
  return {
    ...{ taskId: id, status: 'failed', createdAt, ...toGrouping(document) },
    ...{ title: filename, text: error ?? '', result },
  };
}

function readDraft(opened: CompletedDocument, schema: Schema): RecordDraft {
  const { id, createdAt, filename, extraction } = opened;
  const fields = presentFields(opened, schema).filter(({ value }) => value !== null);
  const key = extraction.sheets[0]?.picture;
  const picture = key === DRAWN_ON_REQUEST ? { file: opened.fileKey } : key;
  return {
    taskId: id,
    status: 'done',
    createdAt,
    ...toGrouping(opened),
    title: filename,
    text: fields
      .map(searchText)
      .filter((each) => each !== '')
      .join('\n'),
    fields: Object.fromEntries(fields.filter(({ row }) => row === undefined).map(({ key, value }) => [key, value])),
    result: resultOf(opened, fields),
    ...(picture && { picture }),
  };
}

/** Like `GET /api/task/{id}/result`, without empty fields and edit data, with labels in both languages. */
function resultOf({ filename, extraction }: CompletedDocument, fields: readonly PresentedField[]): JsonObject {
  return {
    filename,
    schema: { ...extraction.schema },
    fields: fields.map(({ key, section, spec, row, value, confidence, source, page, bbox }) => ({
      key,
      section: bothLanguages(section.title),
      label: bothLanguages(spec.label),
      ...(row !== undefined && { row }),
      value,
      ...{ confidence, source, page },
      bbox: bbox && [...bbox],
    })),
    pages: extraction.pages,
    sheets: extraction.sheets.map(({ width, height, turn }, index) => ({ page: index + 1, width, height, turn })),
    warnings: extraction.warnings.map(({ code, message }) => ({ code, message })),
  };
}

const bothLanguages = (wording: Wording): JsonObject => ({
  en: inLanguage(wording, 'en'),
  ru: inLanguage(wording, 'ru'),
});

/** Searchable text of a value: enum labels in both languages, dates in ISO and Russian form. */
function searchText({ value, spec }: PresentedField): string {
  if (typeof value === 'boolean' || value === null) return '';
  const enumEntry = spec.enum?.find((each) => typeof each !== 'string' && each.value === value);
  if (typeof enumEntry === 'object') return [...new Set(Object.values(bothLanguages(enumEntry.label)))].join(', ');
  const [, year, month, day] = (spec.type === 'date' && /^(\d{4})-(\d\d)-(\d\d)$/.exec(String(value))) || [];
  return year === undefined ? String(value) : `${day}.${month}.${year} ${value}`;
}
