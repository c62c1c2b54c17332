import type { Queryable } from '../../base/db.ts';
import type { Extraction, Value } from './extraction.ts';

export type Status = 'PENDING' | 'PROCESSING' | 'SUCCESS' | 'FAILED' | 'ERROR' | 'PERMANENT_ERROR';

/** Who asks. A cookie gives a session; a Bearer gives a key and, without a cookie, that key's own session (`key:<sub>`). */
export interface Caller {
  /** A digest of the cookie's value, or `key:<sub>`. */
  readonly session: string;
  /** The name of the API key whose token was sent. */
  readonly key?: string;
  readonly role?: 'admin' | 'user';
}

/** One word for whoever asks: repeated requests are his only where the key and the session are the same. */
export const principalOf = ({ key, session }: Caller): string => `${key ?? ''}\0${session}`;

/** A document: its task, and what a person made of it. Everything but the bytes. */
export interface Document {
  /** UUIDv7; the task's id too. */
  readonly id: string;
  readonly filename: string;
  readonly status: Status;
  readonly cached: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Grows with each edit. */
  readonly version: number;
  readonly errorType: string | null;
  readonly error: string | null;
  /** 0..1 while it is worked on, once the worker says. */
  readonly progress: number | null;
  /** The stored PDF. */
  readonly fileKey: string;
  readonly sizeBytes: number;
}

/** A value that a person typed over what was read; it lies over the extraction, which never changes. */
export interface Edit {
  readonly key: string;
  readonly value: Value;
  readonly editedAt: Date;
}

/** A document that is done, with what was read and what was edited since. */
export interface Opened extends Document {
  readonly extraction: Extraction;
  /** The latest edit of each key. */
  readonly edits: readonly Edit[];
}

export interface HistoryEntry {
  readonly at: Date;
  readonly actor: string;
  readonly key: string;
  readonly from: Value;
  readonly to: Value;
}

export interface NewDocument {
  readonly filename: string;
  /** The PDF in the file store. From here on the store of documents owns the bytes. */
  readonly fileKey: string;
  readonly sizeBytes: number;
  /** Bytes of images that go when the document is there: they do not count against the quota together with it. */
  readonly replacesBytes?: number;
  /** What a repeated file is recognised by: bytes, schema and engine together. */
  readonly cacheKey: string;
}

/** What else the transaction does that creates documents; it sees them as they are answered. */
export type Within = (tx: Queryable, created: readonly Document[]) => Promise<void>;

export interface ImageRow {
  /** UUID. */
  readonly id: string;
  readonly filename: string;
  readonly fileKey: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly contentType: string;
  /** Upright by EXIF, before `rotation`. */
  readonly width: number;
  readonly height: number;
  readonly rotation: 0 | 90 | 180 | 270;
}

/** What happened to a session's documents, numbered without gaps in the order in which it became visible. */
export interface SessionEvent {
  readonly id: number;
  readonly kind: 'task' | 'deleted';
  /** The document's id. */
  readonly task: string;
  readonly status: Status | null;
  readonly previousStatus: Status | null;
  readonly at: Date;
}

/**
 * Documents, their images and their events. Whoever may not see a document is told the same as if there were none:
 * `find` and every verb below answer `undefined` for both. Verbs that change are one transaction each, and answer the same
 * for a document that the caller may see and not change: that of an anonymous session, which is neither the caller's own nor
 * the caller an administrator.
 */
export interface Documents {
  /**
   * Writes documents and their tasks down, in order, all or none, durably. One whose `cacheKey` a finished document
   * already has is born `SUCCESS`, `cached`, with a copy of the untouched extraction, and shares the bytes of that one.
   * Throws `QUOTA_EXCEEDED` where the caller would hold too many bytes. When it throws, the bytes are gone too, unless it
   * is unknown whether the documents were written down.
   */
  create(
    caller: Caller,
    documents: readonly NewDocument[],
    request?: { id?: string; traceparent?: string },
    within?: Within,
  ): Promise<Document[]>;
  find(caller: Caller, id: string): Promise<Document | undefined>;
  /** With the extraction and the edits; the document alone while it is not `SUCCESS`. */
  open(caller: Caller, id: string): Promise<Opened | Document | undefined>;
  /** Always by the caller's session, newest first, ties by id. `total` counts with the filter. */
  list(
    session: string,
    page: { status?: Status; page: number; limit: number },
  ): Promise<{ items: Document[]; total: number }>;
  /**
   * Lays edits over a `SUCCESS` document; `conflict` when `ifVersion` is given and is not its version. A value that stands
   * there already is no edit, and without any the version stays.
   */
  update(
    caller: Caller,
    id: string,
    edits: readonly { key: string; value: Value }[],
    options?: { ifVersion?: number },
  ): Promise<Opened | 'not-editable' | 'conflict' | undefined>;
  /** The latest thousand edits, the oldest of them first. */
  history(caller: Caller, id: string): Promise<HistoryEntry[] | undefined>;
  rename(caller: Caller, id: string, filename: string): Promise<Document | undefined>;
  /** `FAILED` or `ERROR` → `PENDING`, by compare-and-set: of two at once one wins. */
  retry(caller: Caller, id: string): Promise<Document | 'not-retryable' | undefined>;
  /** Removes the document, its task (whatever its state) and, with the last reference, its bytes. */
  remove(caller: Caller, id: string): Promise<boolean>;

  /** Every `SUCCESS` document made in `[from, to)`, oldest first, in constant memory: of one session, or of all. */
  each(which: { session?: string; from?: Date; to?: Date }): AsyncIterable<Opened>;
  /** `busy` when another cleanup runs and does not end within 5 s. */
  cleanup(options: { days: number; dryRun: boolean }): Promise<{ tasks: number; files: number } | 'busy'>;
  /** What ended within the window; `recent` names the documents of the caller, to an administrator those of everybody. */
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
   * Images that wait in a session to become a PDF. `too-many` where the session would hold more than `most`: then the bytes
   * are gone, and so they are when it throws, `QUOTA_EXCEEDED` for instance, unless it is unknown whether the image was
   * written down.
   */
  addImage(caller: Caller, image: Omit<ImageRow, 'id' | 'rotation'>, most: number): Promise<ImageRow | 'too-many'>;
  images(session: string): Promise<ImageRow[]>;
  image(session: string, id: string): Promise<ImageRow | undefined>;
  rotateImage(session: string, id: string, by: 90 | 270): Promise<ImageRow | undefined>;
  removeImage(session: string, id: string): Promise<boolean>;
  /** Removes all images of the session, in the transaction `tx` that makes a PDF of them where it is given. */
  clearImages(session: string, tx?: Queryable): Promise<void>;

  /** Events after `after`; `lost` when some of them are no longer kept (the last 1000 per session are). */
  events(session: string, after: number): Promise<readonly SessionEvent[] | 'lost'>;
  /** The number of the session's latest event, 0 before the first. */
  lastEvent(session: string): Promise<number>;
  /** Those of these sessions whose latest event is not the one named beside them; one question for all of them. */
  stirred(watched: readonly { session: string; after: number }[]): Promise<ReadonlySet<string>>;
  /** Calls `wake` soon after something happened in any session, and now and then without. */
  onEvents(wake: () => void, signal: AbortSignal): void;
}
