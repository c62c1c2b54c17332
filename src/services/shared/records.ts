import type { Queryable } from '../../base/db.ts';
import type { Files } from '../../base/files.ts';
import type { GuardedFetch } from '../../base/guarded-fetch.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { Signature } from '../../base/signature.ts';
import { FAILURES, type Task } from '../../tasks/task.ts';
import type { PictureTasks } from './picture-features.ts';

/** Turns finished tasks into searchable records. */
export interface RecordMaker {
  /** A task without a draft has no record; an existing one is deleted. */
  drafts(db: Queryable, tasks: readonly EndedTask[]): Promise<RecordDraft[]>;
  /**
   * The image that `picture` of a draft identifies, in a format that `decodePhoto` reads. Undefined if it no longer
   * exists. Network and storage errors are thrown; the catalog retries.
   */
  picture?(sources: PictureSources, picture: JsonValue, signal: AbortSignal): Promise<Buffer | undefined>;
  /** For searches by a picture; absent if the service does not process pictures. */
  readonly pictureTasks?: PictureTasks;
  /** Pictures are pages of text, which look alike: the catalog does not search them for the same photo. */
  readonly showsPages?: boolean;
}

export interface PictureSources {
  readonly fetch: GuardedFetch;
  readonly files: Files;
}

export interface RecordSource extends RecordMaker {
  readonly service: string;
  readonly title: string;
}

export type EndedTask = Extract<Task, { status: 'done' | 'failed' }>;

export const isCancelled = (task: EndedTask): boolean =>
  task.status === 'failed' && task.failure.code === FAILURES.CANCELLED.code;

/** A record before it is stored. Its text is untrusted and is never markup. */
export interface RecordDraft {
  readonly taskId: string;
  readonly status: 'done' | 'failed';
  readonly createdAt: Date;
  /** A file name or the first spoken words; at most 500 characters. */
  readonly title: string;
  /** What `q` searches besides the title: class names, the transcript, field values. */
  readonly text: string;
  readonly project?: string;
  readonly tags?: readonly string[];
  readonly surface?: string;
  readonly master?: { readonly name: string; readonly conf: number };
  readonly defects?: readonly { readonly name: string; readonly conf: number }[];
  /** By name, for filters; those without a value are omitted. */
  readonly fields?: JsonObject;
  /** For the record's page; `error` with a message if the task failed. */
  readonly result: JsonObject;
  /** Whether the record keeps the task's attachment. */
  readonly withAttachment?: boolean;
  /** The argument of `picture`; absent if there is no image. */
  readonly picture?: JsonValue;
  /** Of the photo's features, for similar pictures. Signatures of different versions are not comparable. */
  readonly signature?: { readonly version: string; readonly values: Signature };
  /** A stored audio file, playable until it expires. */
  readonly sound?: { readonly fileKey: string };
}
