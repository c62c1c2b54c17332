import type { Queryable } from '../../../base/db.ts';

export const ACTIONS = ['delete', 'edit', 'hide', 'restore', 'reclassify', 'other'] as const;
export type Action = (typeof ACTIONS)[number];

export const STATUSES = ['open', 'in_review', 'accepted', 'rejected', 'duplicate'] as const;
export type Status = (typeof STATUSES)[number];

/** What somebody says of a record. */
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
  /** Grows with each change. */
  readonly version: number;
}

export interface NewReport {
  readonly recordId: string;
  readonly actionType: Action;
  readonly description?: string;
  readonly userInfo?: string;
  /** A token's short name, or a digest of an address. */
  readonly reporter: string;
  readonly requestId?: string;
  /** The receipt of the report that this may be a repetition of. */
  readonly receipt?: string;
}

export interface Change {
  readonly status?: Status;
  /** Null clears it, and so does a move that says nothing: the note of another move is not the reason of this one. */
  readonly note?: string | null;
  /** The version that whoever changes has seen. */
  readonly ifVersion?: number;
  /** The moderator's short name. */
  readonly actor: string;
  readonly requestId?: string;
}

/** What came of a change. Every one that was tried on a report that exists stands in the trail, refused ones too. */
export type Changed =
  | { readonly outcome: 'changed' | 'unchanged'; readonly report: Report }
  /** The move is not allowed from where the report stands now: `report` is as it stands. */
  | { readonly outcome: 'forbidden'; readonly report: Report }
  /** It was reopened without a note that says why. */
  | { readonly outcome: 'needs-note'; readonly report: Report }
  | { readonly outcome: 'stale'; readonly report: Report };

/** A row of the audit trail. */
export interface TrailEvent {
  readonly serial: number;
  readonly reportId: string;
  readonly at: Date;
  readonly actor: string;
  readonly action: 'created' | 'changed' | 'refused';
  readonly outcome: 'done' | 'refused';
  readonly from: string | null;
  readonly to: string | null;
  readonly note: string | null;
  /** Of the report's own texts as they stand after this: SHA-256 as hex text. */
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
  /** Words of the description, the note, the record's id and who reported. */
  readonly q?: string;
  readonly from?: Date;
  readonly to?: Date;
}

/** A report that was created, or the open one that the request repeats. */
export interface Created {
  readonly report: Report;
  /** Absent for a repetition. */
  readonly receipt?: string;
  /** The repetition had the receipt of that report. */
  readonly receiptShown?: true;
}

/** Reports and what moderators decide. Verbs that change are one transaction each, trail and index included. */
export interface Reports {
  /**
   * Writes a report down. Where the same reporter has an open one with the same record and action that is less than 24 h
   * old, that one is answered, and nothing is written. `receipt`: what its reporter can read the outcome with, of which
   * only the digest is kept. `within` takes part in the transaction.
   */
  create(report: NewReport, within?: (tx: Queryable, created: Created) => Promise<void>): Promise<Created>;
  /** Undefined where there is no such report. An accepted or reopened one acts on the catalog in the same transaction. */
  change(id: string, change: Change): Promise<Changed | undefined>;
  find(id: string): Promise<Report | undefined>;
  /** The report that this receipt belongs to. */
  byReceipt(id: string, receipt: string): Promise<Report | undefined>;
  list(
    filters: ReportFilters,
    page: { page: number; limit: number; sort: 'newest' | 'oldest' },
  ): Promise<{ items: Report[]; total: number }>;
  /** The latest 200, the newest first. */
  ofRecord(recordId: string): Promise<Report[]>;
  counts(): Promise<Record<Status, number>>;
  events(id: string): Promise<TrailEvent[] | undefined>;
}
