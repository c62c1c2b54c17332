import type { Queryable } from '../base/db.ts';
import type { Files } from '../base/files.ts';
import type { GuardedFetch } from '../base/guarded-fetch.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import { FAILURES, type Task } from '../tasks/task.ts';

/**
 * How the finished tasks of a service become records that people search. Each service that has something to be found says
 * it for itself; whoever keeps the records knows no service by name.
 */
export interface RecordMaker {
  /**
   * What is to be found of these tasks, which have all ended, in any order. A task without a draft is none of the
   * catalog's business, and a record that it may have had is removed.
   */
  drafts(db: Queryable, tasks: readonly EndedTask[]): Promise<RecordDraft[]>;
  /**
   * The image that `picture` of a draft names: bytes of any format that `decodePhoto` reads. Undefined where it is gone
   * for good; throws what the network or the file store throws, and is asked again later then.
   */
  picture?(house: PictureHouse, picture: JsonValue, signal: AbortSignal): Promise<Buffer | undefined>;
}

/** Where images are had from. */
export interface PictureHouse {
  readonly fetch: GuardedFetch;
  readonly files: Files;
}

/** A maker with the service that it belongs to. */
export interface RecordSource extends RecordMaker {
  readonly service: string;
  /** As people call it. */
  readonly title: string;
}

export type EndedTask = Extract<Task, { status: 'done' | 'failed' }>;

/** Whether its client gave the task up: then nobody looks for it. */
export const isCancelled = (task: EndedTask): boolean =>
  task.status === 'failed' && task.failure.code === FAILURES.CANCELLED.code;

/** A record, as its service sees it. Text is what people wrote or read, in any script, and is never markup. */
export interface RecordDraft {
  readonly taskId: string;
  readonly status: 'done' | 'failed';
  /** When it was asked for. */
  readonly createdAt: Date;
  /** What a person would call it: a file's name, the first words that were said; at most 500 characters. */
  readonly title: string;
  /** All that `q` searches besides the title: names of classes, what was said, the values of fields. */
  readonly text: string;
  readonly surface?: string;
  /** The group that is likeliest. */
  readonly master?: { readonly name: string; readonly conf: number };
  readonly defects?: readonly { readonly name: string; readonly conf: number }[];
  /** What the page of the record shows, in the words of the service's own result; a sentence in `error` where it failed. */
  readonly result: JsonObject;
  /** Whether the task's attachment belongs to the record, and is to be kept with it. */
  readonly withAttachment?: boolean;
  /** What `picture` of the maker is asked with; absent where there is nothing to be seen. */
  readonly picture?: JsonValue;
  /** A file of our own that can be listened to while it lives. */
  readonly sound?: { readonly fileKey: string };
}
