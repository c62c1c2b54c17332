import { isSandboxPrincipal } from '../../../http/sandbox-credential.ts';
import type { Task } from '../../../tasks/task.ts';
import type { Caller, CompletedDocument, Document, Edit } from '../documents.ts';
import type { Extraction, Value } from '../extraction.ts';
import { errorMessage, toErrorType } from '../failures.ts';
import { statusOf } from './status.ts';

export const SERVICE = 'passports';

export interface DocumentRow extends Omit<Document, 'status' | 'errorType' | 'error'> {
  readonly status: Task['status'];
  readonly errorCode: string | null;
}

/** Of `passport_documents d join tasks_read_only t on t.id = d.id`. */
export const COLUMNS = `
  d.id, d.filename, d.project, d.tags, d.cached, d.version, d.file_key as "fileKey", d.size_bytes as "sizeBytes",
  d.created_at as "createdAt", greatest(d.changed_at, t.started_at, t.finished_at)::timestamptz(3) as "updatedAt",
  t.status, t.error_code as "errorCode", t.progress`;

export interface CompletedRow extends DocumentRow {
  readonly result: Extraction | null;
  readonly edits: { key: string; value: Value; at: string }[] | null;
  readonly confirmation: { version: number; actor: string; at: string } | null;
}

/** One statement, so that result, edits, version and confirmation are consistent. */
export const COMPLETED_COLUMNS = `${COLUMNS},
  t.result,
  (select json_agg(json_build_object('key', e.key, 'value', e.new_value, 'at', e.at) order by e.serial)
     from (select distinct on (key) key, new_value, at, serial
             from passport_edits
            where document = d.id
            order by key, serial desc) as e) as edits,
  (select json_build_object('version', c.version, 'actor', c.actor, 'at', c.at)
     from passport_confirmations c
    where c.document = d.id
    order by c.version desc
    limit 1) as confirmation`;

export function toDocument({ status, errorCode, ...row }: DocumentRow): Document {
  const errorType = status === 'failed' ? toErrorType(errorCode ?? '') : null;
  return {
    ...row,
    status: statusOf(status, errorCode),
    errorType,
    error: errorType && errorMessage(errorType),
    progress: status === 'processing' ? row.progress : null,
  };
}

export function toDocumentWithResult({
  result,
  edits,
  confirmation,
  ...row
}: CompletedRow): CompletedDocument | Document {
  const document = toDocument(row);
  if (row.status !== 'done' || result === null) return document;
  const latest = (edits ?? []).map(({ key, value, at }): Edit => ({ key, value, editedAt: new Date(at) }));
  return {
    ...document,
    extraction: result,
    edits: latest,
    confirmation: confirmation && { ...confirmation, at: new Date(confirmation.at) },
  };
}

/**
 * Access to a document `d` (docs/specification.md#api-keys-and-sessions-of-passports): its session, the key that created it and, unless `strict`, any key
 * for documents of anonymous sessions. A sandbox key reaches only its own. Parameters `$2` to `$4` come from {@link accessParams}.
 */
export const ACCESS_CONDITION =
  '(d.session = $2 or ($3::text is not null and (d.key_name = $3 or (d.key_name is null and not $4::boolean))))';

/** Documents of anonymous sessions can be changed only by their session and administrators. */
export const isStrictForChanges = ({ role }: Caller, strict: boolean): boolean => strict || role !== 'admin';

/** Whose queue tasks join. Sessions without a key share one: a client could start any number of them. */
export const clientOf = ({ key }: Caller): string => key ?? 'anonymous';

export const accessParams = ({ session, key }: Caller, strict: boolean): [string, string | null, boolean] => [
  session,
  key ?? null,
  strict || isSandboxPrincipal(key),
];
