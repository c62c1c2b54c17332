import type { Action, Report, Status } from './report.ts';

export interface ReportRow {
  readonly id: string;
  readonly record_id: string;
  readonly action_type: Action;
  readonly description: string | null;
  readonly user_info: string | null;
  readonly status: Status;
  readonly resolver_note: string | null;
  readonly moved_by: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly resolved_at: Date | null;
  readonly version: number;
}

export const COLUMNS = `id, record_id, action_type, description, user_info, status, resolver_note, moved_by,
  created_at, updated_at, resolved_at, version`;

export const reportFrom = (row: ReportRow): Report => ({
  id: row.id,
  recordId: row.record_id,
  actionType: row.action_type,
  description: row.description,
  userInfo: row.user_info,
  status: row.status,
  resolverNote: row.resolver_note,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  resolvedAt: row.resolved_at,
  version: row.version,
});
