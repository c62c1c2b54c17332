import type { Static } from 'typebox';
import type { Image, TaskItem, TaskStatus, Template } from './api-schema.ts';
import type { CompletedDocument, Document, ImageRow } from './documents.ts';
import { groupByRow, type PresentedField, presentFields } from './present.ts';
import { isConfirmed, listReview } from './review.ts';
import { inLanguage, type Schema } from './schema/schema.ts';
import type { TemplateRow } from './store/templates.ts';

export const toGrouping = ({ project, tags }: Document) => ({
  ...(project !== null && { project }),
  ...(tags !== null && { tags: [...tags] }),
});

export const toTaskItem = (document: Document): Static<typeof TaskItem> => ({
  id: document.id,
  filename: document.filename,
  ...toGrouping(document),
  status: document.status,
  cached: document.cached,
  created_at: document.createdAt.toISOString(),
  error_type: document.errorType,
});

export const toTaskStatus = (document: Document): Static<typeof TaskStatus> => ({
  status: document.status,
  id: document.id,
  error_type: document.errorType,
  updated_at: document.updatedAt.toISOString(),
  ...(document.progress !== null && { progress: document.progress }),
});

const toSummary = (document: Document) => ({
  ...{ id: document.id, filename: document.filename, ...toGrouping(document) },
  ...{ status: document.status, cached: document.cached },
  created_at: document.createdAt,
  updated_at: document.updatedAt,
});

/** `data` is null once the task has failed. */
export function toUnfinishedResult(document: Document): object {
  const { id, status, errorType, error } = document;
  return errorType === null
    ? { id, ...toGrouping(document), status }
    : { ...toSummary(document), error_type: errorType, error, data: null };
}

export function toResult(opened: CompletedDocument, schema: Schema, language: 'en' | 'ru'): object {
  const { pages, sheets, engine, warnings, schema: usedSchema } = opened.extraction;
  const fields = presentFields(opened, schema);
  const shownKey = new Map(fields.map(({ storedKey, key }) => [storedKey, key]));
  return {
    ...toSummary(opened),
    version: opened.version,
    error_type: null,
    error: null,
    schema: usedSchema,
    data: nestBySection(fields, schema),
    fields: Object.fromEntries(fields.map((field) => [field.key, toResultField(field, language)])),
    pages,
    sheets: sheets.map(({ picture, ...sheet }, index) => ({
      page: index + 1,
      ...sheet,
      picture: picture && `/api/task/${opened.id}/page/${index + 1}`,
    })),
    engine,
    review: listReview(opened, fields).map(({ field, reasons }) => ({ field: field.key, reasons })),
    confirmed_at: isConfirmed(opened) ? opened.confirmation!.at : null,
    confirmed_by: isConfirmed(opened) ? opened.confirmation!.actor : null,
    warnings: warnings.map((warning) => ({
      ...warning,
      ...(warning.fields && { fields: warning.fields.map((key) => shownKey.get(key) ?? key) }),
    })),
  };
}

const toResultField = (
  { spec, value, confidence, source, original, page, bbox, editedAt }: PresentedField,
  language: 'en' | 'ru',
) => ({
  ...{ value, type: spec.type, label: inLanguage(spec.label, language), confidence, source },
  ...{ original_value: original, page, bbox, edited_at: editedAt },
});

/** A section with only a table is the list of its rows; with both, the rows are in `rows`. */
function nestBySection(fields: readonly PresentedField[], schema: Schema): object {
  const valuesOf = (some: readonly PresentedField[]) =>
    Object.fromEntries(some.map(({ spec, value }) => [spec.key, value]));
  const sections = schema.sections.map((section) => {
    const own = fields.filter((field) => field.section === section);
    const single = valuesOf(own.filter(({ row }) => row === undefined));
    if (section.table === undefined) return [section.key, single];
    const rows = groupByRow(own.filter(({ row }) => row !== undefined)).map(valuesOf);
    return [section.key, section.fields?.length ? { ...single, rows } : rows];
  });
  return Object.fromEntries(sections);
}

export function toImage(row: ImageRow): Static<typeof Image> {
  const isTransposed = row.rotation % 180 === 90;
  return {
    image_id: row.id,
    filename: row.filename,
    width: isTransposed ? row.height : row.width,
    height: isTransposed ? row.width : row.height,
    size_bytes: row.sizeBytes,
    content_type: row.contentType,
    rotation: row.rotation,
  };
}

export const toTemplate = (row: TemplateRow): Static<typeof Template> => ({
  id: row.id,
  name: row.name,
  enabled: row.enabled,
  created_at: row.createdAt.toISOString(),
  changed_at: row.changedAt.toISOString(),
  used_at: row.usedAt?.toISOString() ?? null,
  uses: Number(row.uses),
  corrections: row.corrections.map(({ document, filename, learnedAt, fields }) => ({
    task_id: document,
    filename,
    learned_at: new Date(learnedAt).toISOString(),
    fields: [...fields],
  })),
});
