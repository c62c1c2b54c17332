import type { JsonObject } from '../../../base/json.ts';
import type { AuditEvent, Report } from './report.ts';

export const reportBody = (report: Report) =>
  ({
    id: report.id,
    record_id: report.recordId,
    action_type: report.actionType,
    description: report.description,
    user_info: report.userInfo,
    status: report.status,
    resolver_note: report.resolverNote,
    created_at: report.createdAt.toISOString(),
    updated_at: report.updatedAt.toISOString(),
    resolved_at: report.resolvedAt?.toISOString() ?? null,
    version: report.version,
  }) satisfies JsonObject;

/** For a client that shares the reporter's address or token but has no receipt. */
export const briefReportBody = ({ id, status }: Report) => ({ id, status }) satisfies JsonObject;

export const eventBody = ({ reportId: _, requestId, prevHash, hash, ...event }: AuditEvent) => ({
  ...event,
  request_id: requestId,
  prev_hash: prevHash,
  hash,
});
