import type { Queryable } from '../../base/db.ts';
import type { Extraction, Value } from './extraction.ts';

export type Status = 'PENDING' | 'PROCESSING' | 'SUCCESS' | 'FAILED' | 'ERROR' | 'PERMANENT_ERROR';

/**
 * The client of a request. A cookie proves a session; a bearer token proves a key and, without a cookie, implies the
 * key's own session (`key:<sub>`).
 */
export interface Caller {
  /** Digest of the cookie's value, or `key:<sub>`. */
  readonly session: string;
  /** Name of the API key, if a token was sent. */
  readonly key?: string;
  readonly role?: 'admin' | 'user';
}

/** Identifies the client for idempotency: key and session together. */
export const principalOf = ({ key, session }: Caller): string => `${key ?? ''}\0${session}`;

/** A document with the state of its task. */
export interface Document {
  /** UUIDv7, also the id of the task. */
  readonly id: string;
  readonly filename: string;
  readonly status: Status;
  readonly cached: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Increases with each edit. */
  readonly version: number;
  readonly errorType: string | null;
  readonly error: string | null;
  /** 0..1 while a worker processes the document and has reported progress. */
  readonly progress: number | null;
  /** Key of the PDF in the file store. */
  readonly fileKey: string;
  readonly sizeBytes: number;
}

/** A value that a user typed; it overrides the extracted value. */
export interface Edit {
  readonly key: string;
  readonly value: Value;
  readonly editedAt: Date;
}

/** A successfully processed document with its extraction and edits. */
export interface Opened extends Document {
  readonly extraction: Extraction;
  readonly edits: readonly Edit[];
}

export const isOpened = (document: Document | Opened): document is Opened => 'extraction' in document;

export interface HistoryEntry {
  readonly at: Date;
  readonly actor: string;
  readonly key: string;
  readonly from: Value;
  readonly to: Value;
}

export interface NewDocument {
  readonly filename: string;
  /** Key of the PDF in the file store. The document store takes over the file. */
  readonly fileKey: string;
  readonly sizeBytes: number;
  /** Bytes of images that the document replaces; subtracted in the quota check. */
  readonly replacesBytes?: number;
  /** Identifies repeated files: hash of content, schema and engine. */
  readonly cacheKey: string;
}

/** Runs inside the transaction that creates documents. */
export type Within = (tx: Queryable, created: readonly Document[]) => Promise<void>;

export interface ImageRow {
  /** UUID. */
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

/** A change to a document of a session, numbered without gaps in commit visibility order. */
export interface SessionEvent {
  readonly id: number;
  readonly kind: 'task' | 'deleted';
  /** Document id. */
  readonly task: string;
  readonly status: Status | null;
  readonly previousStatus: Status | null;
  readonly at: Date;
}

/**
 * Documents, images and events. Methods return `undefined` both for missing documents and for documents that the caller
 * may not see or change (a document of another anonymous session can be changed only by administrators). Each change is
 * one transaction.
 */
export interface Documents {
  /**
   * Creates documents with their tasks atomically. A document whose `cacheKey` matches a completed one starts as
   * `SUCCESS`, `cached`, with a copy of the original extraction and the same stored file. Throws `QUOTA_EXCEEDED`. On
   * an error it deletes the files, unless the outcome of the transaction is unknown.
   */
  create(
    caller: Caller,
    documents: readonly NewDocument[],
    request?: { id?: string; traceparent?: string },
    within?: Within,
  ): Promise<Document[]>;
  find(caller: Caller, id: string): Promise<Document | undefined>;
  /** Includes extraction and edits if the status is `SUCCESS`. */
  open(caller: Caller, id: string): Promise<Opened | Document | undefined>;
  /** Newest first, then by id. `total` counts documents that match the filter. */
  list(
    session: string,
    page: { status?: Status; page: number; limit: number },
  ): Promise<{ items: Document[]; total: number }>;
  /**
   * Saves edits of a `SUCCESS` document; `conflict` if `ifVersion` differs from its version. Edits that change nothing
   * are dropped; without changes the version stays.
   */
  update(
    caller: Caller,
    id: string,
    edits: readonly { key: string; value: Value }[],
    options?: { ifVersion?: number },
  ): Promise<Opened | 'not-editable' | 'conflict' | undefined>;
  /** The latest 1000 edits, oldest first. */
  history(caller: Caller, id: string): Promise<HistoryEntry[] | undefined>;
  rename(caller: Caller, id: string, filename: string): Promise<Document | undefined>;
  /** `FAILED` or `ERROR` → `PENDING`, atomically: of two concurrent calls one succeeds. */
  retry(caller: Caller, id: string): Promise<Document | 'not-retryable' | undefined>;
  /** Deletes the document and its task in any state, and the file with its last reference. */
  remove(caller: Caller, id: string): Promise<boolean>;

  /**
   * Streams the `SUCCESS` documents created in `[from, to)`, oldest first, in constant memory: of one session or all.
   */
  each(filter: { session?: string; from?: Date; to?: Date }): AsyncIterable<Opened>;
  /** Deletes old documents; `busy` if another cleanup does not end within 5 s. */
  cleanup(options: { days: number; dryRun: boolean }): Promise<{ tasks: number; files: number } | 'busy'>;
  /** Failure statistics of the window; `recent` contains the caller's documents, or all for administrators. */
  failures(
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
   * Adds an image to a session; `too-many` if the session would hold more than `most`. If it returns that or throws
   * (such as `QUOTA_EXCEEDED`), the file is deleted, unless the outcome of the transaction is unknown.
   */
  addImage(caller: Caller, image: Omit<ImageRow, 'id' | 'rotation'>, most: number): Promise<ImageRow | 'too-many'>;
  images(session: string): Promise<ImageRow[]>;
  image(session: string, id: string): Promise<ImageRow | undefined>;
  rotateImage(session: string, id: string, by: 90 | 270): Promise<ImageRow | undefined>;
  removeImage(session: string, id: string): Promise<boolean>;
  /** Removes all images of the session, in the transaction `tx` if present. */
  clearImages(session: string, tx?: Queryable): Promise<void>;

  /** Events after number `after`; `lost` if some are no longer stored (the last 1000 per session are). */
  events(session: string, after: number): Promise<readonly SessionEvent[] | 'lost'>;
  /** Number of the session's latest event, 0 if there are no events. */
  lastEvent(session: string): Promise<number>;
  /** The sessions whose latest event number differs from `after`, in one query. */
  stirred(watched: readonly { session: string; after: number }[]): Promise<ReadonlySet<string>>;
  /** Calls `callback` soon after a change in any session, and also without one. */
  onEvents(callback: () => void, signal: AbortSignal): void;
}
