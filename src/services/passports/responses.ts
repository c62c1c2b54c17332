import type { Static } from 'typebox';
import type { JsonObject } from '../../base/json.ts';
import type { Image, TaskItem, TaskStatus } from './api-schema.ts';
import type { CompletedDocument, Document, ImageRow } from './documents.ts';
import { presentFields } from './present.ts';
import { inLanguage, type Schema } from './schema/schema.ts';

export const toTaskItem = (document: Document): Static<typeof TaskItem> => ({
  id: document.id,
  filename: document.filename,
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

/** `data` is null once the task has failed. */
export function toUnfinishedResult(document: Document): JsonObject {
  const { id, filename, status, cached, createdAt, updatedAt, errorType, error } = document;
  if (errorType === null) return { id, status };
  return {
    ...{ id, filename, status, cached },
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    ...{ error_type: errorType, error, data: null },
  };
}

export function toResult(opened: CompletedDocument, schema: Schema, language: 'en' | 'ru'): JsonObject {
  const { extraction } = opened;
  const presented = presentFields(opened, schema);
  const shownKey = new Map(presented.map(({ storedKey, key }) => [storedKey, key]));
  return {
    id: opened.id,
    filename: opened.filename,
    status: opened.status,
    cached: opened.cached,
    created_at: opened.createdAt.toISOString(),
    updated_at: opened.updatedAt.toISOString(),
    version: opened.version,
    error_type: null,
    error: null,
    schema: { ...extraction.schema },
    data: nestBySection(opened, schema),
    fields: Object.fromEntries(
      presented.map((field) => [
        field.key,
        {
          value: field.value,
          type: field.spec.type as string,
          label: inLanguage(field.spec.label, language),
          confidence: field.confidence,
          source: field.source,
          original_value: field.original,
          page: field.page,
          bbox: field.bbox === null ? null : [...field.bbox],
          edited_at: field.editedAt?.toISOString() ?? null,
        },
      ]),
    ),
    pages: extraction.pages,
    sheets: extraction.sheets.map((sheet, index) => ({
      page: index + 1,
      width: sheet.width,
      height: sheet.height,
      turn: sheet.turn,
      reader: sheet.reader,
      picture: sheet.picture === null ? null : `/api/task/${opened.id}/page/${index + 1}`,
    })),
    engine: { ...extraction.engine },
    warnings: extraction.warnings.map(({ code, message, fields }) => ({
      code,
      message,
      ...(fields && { fields: fields.map((key) => shownKey.get(key) ?? key) }),
    })),
  };
}

/** A section with only a table is the list of its rows; with both, the rows are in `rows`. */
function nestBySection(opened: CompletedDocument, schema: Schema): JsonObject {
  const data: JsonObject = {};
  const rows = new Map<string, JsonObject[]>();
  for (const { key, table } of schema.sections) if (table) rows.set(key, []);
  for (const { section, spec, row, value } of presentFields(opened, schema)) {
    if (row === undefined) {
      data[section.key] ??= {};
      (data[section.key] as JsonObject)[spec.key] = value;
    } else {
      const list = rows.get(section.key)!;
      list[row - 1] ??= {};
      list[row - 1]![spec.key] = value;
    }
  }
  for (const [key, list] of rows) {
    const singleFields = data[key] as JsonObject | undefined;
    data[key] = singleFields === undefined ? list : { ...singleFields, rows: list };
  }
  return data;
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
