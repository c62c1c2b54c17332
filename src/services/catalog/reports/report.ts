import type { Transaction } from '../../../base/db.ts';

export const ACTIONS = ['delete', 'edit', 'hide', 'restore', 'reclassify', 'other'] as const;
export type Action = (typeof ACTIONS)[number];

export const STATUSES = ['open', 'in_review', 'accepted', 'rejected', 'duplicate'] as const;
export type Status = (typeof STATUSES)[number];

export interface Report {
  /** `rep_` and 26 characters. */
  readonly id: string;
  readonly recordId: string;
  readonly actionType: Action;
  readonly description: string | null;
  readonly userInfo: string | null;
  readonly status: Status;
  readonly resolverNote: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly resolvedAt: Date | null;
  /** Increments with each change. */
  readonly version: number;
}

export interface NewReport {
  readonly recordId: string;
  readonly actionType: Action;
  readonly description?: string;
  readonly userInfo?: string;
  /** A token, or a digest of an address. */
  readonly reporter: string;
  readonly requestId?: string;
  /** Of an earlier report that this one may repeat. */
  readonly receipt?: string;
}

export interface ReportChange {
  readonly status?: Status;
  /** Null clears the note, as does a transition without a note. */
  readonly note?: string | null;
  readonly ifVersion?: number;
  readonly actor: string;
  readonly requestId?: string;
}

/** The audit trail records all attempts, rejected ones too. */
export interface ChangeResult {
  /** `needs-note`: reopening requires a note. */
  readonly outcome: 'changed' | 'unchanged' | 'forbidden' | 'needs-note' | 'stale';
  readonly report: Report;
}

export interface AuditEvent {
  readonly serial: number;
  readonly reportId: string;
  readonly at: Date;
  readonly actor: string;
  readonly action: 'created' | 'changed' | 'refused';
  readonly outcome: 'done' | 'refused';
  readonly from: string | null;
  readonly to: string | null;
  readonly note: string | null;
  /** SHA-256 of the report's texts after this event, as hex text. */
  readonly content: string;
  readonly requestId: string | null;
  /** SHA-256 as hex text. */
  readonly prevHash: string;
  readonly hash: string;
}

export interface ReportFilters {
  readonly status?: Status;
  readonly actionType?: Action;
  readonly recordId?: string;
  readonly q?: string;
  readonly from?: Date;
  readonly to?: Date;
}

/** New, or the existing open report that the request repeats. */
export interface CreateResult {
  readonly report: Report;
  /** Absent for a repetition. */
  readonly receipt?: string;
  /** The repeated request contained the receipt. */
  readonly receiptShown?: true;
}

/** Sends the webhook in the transaction of the change. */
export type AnnounceReport = (
  tx: Transaction,
  event: 'report.created' | 'report.resolved',
  report: Report,
  requestId: string | undefined,
) => Promise<void>;
