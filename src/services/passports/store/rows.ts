import type { Task } from '../../../tasks/task.ts';
import type { Caller, CompletedDocument, Document, Edit } from '../documents.ts';
import type { Extraction, Value } from '../extraction.ts';
import { errorMessage, toErrorType } from '../failures.ts';
import { statusOf } from './status.ts';

export const SERVICE = 'passports';

export interface DocumentRow {
  id: string;
  filename: string;
  cached: boolean;
  version: number;
  file_key: string;
  size_bytes: number;
  created_at: Date;
  updated_at: Date;
  status: Task['status'];
  error_code: string | null;
  progress: number | null;
}

/** Of `passport_documents d join tasks_read_only t on t.id = d.id`. */
export const COLUMNS = `
  d.id, d.filename, d.cached, d.version, d.file_key, d.size_bytes, d.created_at,
  greatest(d.changed_at, t.started_at, t.finished_at)::timestamptz(3) as updated_at,
  t.status, t.error_code, t.progress`;

export interface CompletedRow extends DocumentRow {
  result: Extraction | null;
  edits: { key: string; value: Value; at: string }[] | null;
}

/** One statement, so that result, edits and version are consistent. */
export const COMPLETED_COLUMNS = `${COLUMNS},
  t.result,
  (select json_agg(json_build_object('key', e.key, 'value', e.new_value, 'at', e.at) order by e.serial)
     from (select distinct on (key) key, new_value, at, serial
             from passport_edits
            where document = d.id
            order by key, serial desc) as e) as edits`;

export function toDocument(row: DocumentRow): Document {
  const failed = row.status === 'failed' ? toErrorType(row.error_code ?? '') : null;
  return {
    id: row.id,
    filename: row.filename,
    status: statusOf(row.status, row.error_code),
    cached: row.cached,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    errorType: failed,
    error: failed && errorMessage(failed),
    progress: row.status === 'processing' ? row.progress : null,
    fileKey: row.file_key,
    sizeBytes: row.size_bytes,
  };
}

export function toDocumentWithResult(row: CompletedRow): CompletedDocument | Document {
  if (row.status !== 'done' || row.result === null) return toDocument(row);
  const edits = (row.edits ?? []).map(({ key, value, at }): Edit => ({ key, value, editedAt: new Date(at) }));
  return { ...toDocument(row), extraction: row.result, edits };
}

/**
 * Access to a document `d` (docs/specification.md#api-keys-and-sessions-of-passports): its session, the key that created it and, unless `strict`, any key
 * for documents of anonymous sessions. Parameters `$2` to `$4` come from {@link accessParams}.
 */
export const ACCESS_CONDITION =
  '(d.session = $2 or ($3::text is not null and (d.key_name = $3 or (d.key_name is null and not $4::boolean))))';

/** Documents of anonymous sessions can be changed only by their session and administrators. */
export const isStrictForChanges = ({ role }: Caller, strict: boolean): boolean => strict || role !== 'admin';

export const accessParams = ({ session, key }: Caller, strict: boolean): [string, string | null, boolean] => [
  session,
  key ?? null,
  strict,
];
