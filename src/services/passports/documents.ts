import type { Queryable } from '../../base/db.ts';
import type { Extraction, Value } from './extraction.ts';

export const STATUSES = ['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED', 'ERROR', 'PERMANENT_ERROR'] as const;
export type Status = (typeof STATUSES)[number];

/**
 * A cookie proves a session (a digest of its value); a token proves a key and, without a cookie, implies the session
 * `key:<sub>`.
 */
export interface Caller {
  readonly session: string;
  readonly key?: string;
  readonly role?: 'admin' | 'user';
}

/** Identifies the client for idempotency. */
export const principalOf = ({ key, session }: Caller): string => `${key ?? ''}\0${session}`;

export interface Document {
  /** UUIDv7, also the task id. */
  readonly id: string;
  readonly filename: string;
  readonly status: Status;
  readonly cached: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
  readonly errorType: string | null;
  readonly error: string | null;
  readonly progress: number | null;
  readonly fileKey: string;
  readonly sizeBytes: number;
}

/** Overrides the extracted value. */
export interface Edit {
  readonly key: string;
  readonly value: Value;
  readonly editedAt: Date;
}

export interface CompletedDocument extends Document {
  readonly extraction: Extraction;
  readonly edits: readonly Edit[];
}

export const isCompleted = (document: Document | CompletedDocument): document is CompletedDocument =>
  'extraction' in document;

export interface HistoryEntry {
  readonly at: Date;
  readonly actor: string;
  readonly key: string;
  readonly from: Value;
  readonly to: Value;
}

export interface NewDocument {
  readonly filename: string;
  /** The document store takes over the file. */
  readonly fileKey: string;
  readonly sizeBytes: number;
  /** Bytes of replaced images, subtracted in the quota check. */
  readonly replacesBytes?: number;
  /** Identifies repeated files: hash of content, schema and engine. */
  readonly cacheKey: string;
}

/** Runs inside the transaction that creates documents. */
export type TransactionHook = (tx: Queryable, created: readonly Document[]) => Promise<void>;

export interface ImageRow {
  readonly id: string;
  readonly filename: string;
  readonly fileKey: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly contentType: string;
  /** After EXIF orientation, before `rotation`. */
  readonly width: number;
  readonly height: number;
  readonly rotation: 0 | 90 | 180 | 270;
}

/** Numbered per session without gaps, in order of visibility. */
export interface SessionEvent {
  readonly id: number;
  readonly kind: 'task' | 'deleted';
  readonly task: string;
  readonly status: Status | null;
  readonly previousStatus: Status | null;
  readonly at: Date;
}

/**
 * Methods return `undefined` for documents that do not exist or that the caller may not see or change (only
 * administrators change documents of other anonymous sessions). Each change is one transaction.
 */
export interface DocumentStore {
  /**
   * All or none. If a completed document has the same `cacheKey`, the new one starts as `SUCCESS`, `cached`, with its
   * original extraction and file. Throws `QUOTA_EXCEEDED`. Deletes the files on an error, unless the outcome of the
   * transaction is unknown.
   */
  create(
    caller: Caller,
    documents: readonly NewDocument[],
    request?: { id?: string; traceparent?: string },
    within?: TransactionHook,
  ): Promise<Document[]>;
  find(caller: Caller, id: string): Promise<Document | undefined>;
  findWithResult(caller: Caller, id: string): Promise<CompletedDocument | Document | undefined>;
  /** Newest first. `total` counts all documents that match. */
  list(
    session: string,
    page: { status?: Status; page: number; limit: number },
  ): Promise<{ items: Document[]; total: number }>;
  /** `conflict` if `ifVersion` differs from the document's version. Without actual changes the version stays. */
  update(
    caller: Caller,
    id: string,
    edits: readonly { key: string; value: Value }[],
    options?: { ifVersion?: number },
  ): Promise<CompletedDocument | 'not-editable' | 'conflict' | undefined>;
  /** The latest 1000 edits, oldest first. */
  history(caller: Caller, id: string): Promise<HistoryEntry[] | undefined>;
  rename(caller: Caller, id: string, filename: string): Promise<Document | undefined>;
  /** `FAILED` or `ERROR` → `PENDING`; one of two concurrent calls succeeds. */
  retry(caller: Caller, id: string): Promise<Document | 'not-retryable' | undefined>;
  /** Deletes document and task in any state, and the file with its last reference. */
  remove(caller: Caller, id: string): Promise<boolean>;

  /** `SUCCESS` documents created in `[from, to)`, oldest first, in constant memory. */
  streamCompleted(filter: { session?: string; from?: Date; to?: Date }): AsyncIterable<CompletedDocument>;
  /** `busy` if another cleanup does not end within 5 s. */
  cleanup(options: { days: number; dryRun: boolean }): Promise<{ tasks: number; files: number } | 'busy'>;
  /** `recent` has the caller's documents; all for administrators. */
  failureStatistics(
    windowSeconds: number,
    caller: Caller,
  ): Promise<{
    total: number;
    failed: number;
    byStatus: Record<'FAILED' | 'ERROR' | 'PERMANENT_ERROR', number>;
    byErrorType: Record<string, number>;
    recent: { id: string; status: Status; errorType: string; failedAt: Date }[];
  }>;

  /**
   * `too-many` if the session would hold more than `maxImages`. Then, and on errors such as `QUOTA_EXCEEDED`, the file
   * is deleted, unless the outcome of the transaction is unknown.
   */
  addImage(caller: Caller, image: Omit<ImageRow, 'id' | 'rotation'>, maxImages: number): Promise<ImageRow | 'too-many'>;
  images(session: string): Promise<ImageRow[]>;
  image(session: string, id: string): Promise<ImageRow | undefined>;
  rotateImage(session: string, id: string, by: 90 | 270): Promise<ImageRow | undefined>;
  removeImage(session: string, id: string): Promise<boolean>;
  clearImages(session: string, tx?: Queryable): Promise<void>;

  /** `lost` if some are no longer stored (the last 1000 per session are). */
  events(session: string, after: number): Promise<readonly SessionEvent[] | 'lost'>;
  lastEvent(session: string): Promise<number>;
  /** The sessions with another latest event number than `after`, in one query. */
  findChangedSessions(watched: readonly { session: string; after: number }[]): Promise<ReadonlySet<string>>;
  /** Calls `callback` soon after a change in any session, and also without one. */
  onEvents(callback: () => void, signal: AbortSignal): void;
}
