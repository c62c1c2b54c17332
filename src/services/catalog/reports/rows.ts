import type { Report } from './report.ts';

export interface ReportRow extends Report {
  /** The moderator of the last transition; null before the first one. */
  readonly movedBy: string | null;
}

export const COLUMNS = `id, record_id as "recordId", action_type as "actionType", description, user_info as "userInfo",
  status, resolver_note as "resolverNote", moved_by as "movedBy",
  created_at as "createdAt", updated_at as "updatedAt", resolved_at as "resolvedAt", version`;

export const reportFrom = ({ movedBy: _, ...report }: ReportRow): Report => report;
