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
  /** Of the request that created it. */
  readonly project: string | null;
  readonly tags: readonly string[] | null;
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

/** A person checked all values of a version. */
export interface Confirmation {
  readonly version: number;
  readonly actor: string;
  readonly at: Date;
}

export interface CompletedDocument extends Document {
  readonly extraction: Extraction;
  readonly edits: readonly Edit[];
  /** The latest one. */
  readonly confirmation: Confirmation | null;
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
