import { CLIENT_LIMIT_MS, type Db, type Queryable } from '../../../base/db.ts';
import { lockCompleted } from '../../../tasks/locks.ts';
import { changeBetween, type SegmentChange } from '../browser/segment-changes.ts';
import type { RecordedSegment } from '../result.ts';

/** The latest version of a corrected transcript. */
export interface Correction {
  /** From 1; 0 is the result of the task. */
  readonly version: number;
  readonly segments: readonly RecordedSegment[];
  readonly changedAt: Date;
  /** The principal of the credential. */
  readonly changedBy: string;
}

export interface Edit extends SegmentChange {
  readonly version: number;
  readonly at: Date;
  readonly actor: string;
}

export type CorrectionStore = ReturnType<typeof createCorrectionStore>;

export function createCorrectionStore(db: Db) {
  return {
    read: async (taskId: string): Promise<Correction | undefined> => (await readCorrections(db, [taskId])).get(taskId),

    /**
     * Stores the segments as the next version; unchanged ones have no version. `conflict`: the current version is not
     * `ifVersion`. Undefined if the task no longer exists. Serializes concurrent edits of one transcript.
     */
    write: (
      taskId: string,
      edit: {
        readonly original: readonly RecordedSegment[];
        readonly segments: readonly RecordedSegment[];
        readonly actor: string;
        readonly ifVersion: number | undefined;
      },
    ): Promise<Correction | { readonly conflict: number } | undefined> =>
      db.transaction(async (tx) => {
        const { original, segments, actor, ifVersion } = edit;
        if (!(await lockCompleted(tx, [taskId])).has(taskId)) return undefined;
        await tx.query(CREATE, [taskId, JSON.stringify(original)]);
        const { rows } = await tx.query<Correction>(LOCK, [taskId]);
        const current = rows[0]!;
        if (ifVersion !== undefined && ifVersion !== current.version) return { conflict: current.version };
        const change = changeBetween(current.segments, segments);
        if (change === undefined) return current;
        const [removed, inserted] = [JSON.stringify(change.removed), JSON.stringify(change.inserted)];
        await tx.query(ADD_EDIT, [taskId, current.version + 1, change.position, removed, inserted, actor]);
        await tx.query(DELETE_OLD_EDITS, [taskId, current.version + 1 - MAX_EDITS, MAX_EDITS_BYTES]);
        return (await tx.query<Correction>(WRITE, [taskId, JSON.stringify(segments), actor])).rows[0]!;
      }),

    /** At most `limit` of the latest edits, of 1 MiB in total, oldest first. The last one may be larger. */
    history: async (taskId: string, limit: number): Promise<Edit[]> =>
      (await db.query<Edit>(HISTORY, [taskId, limit, MAX_HISTORY_BYTES])).rows,
  };
}

/** By task id. */
export async function readCorrections(db: Queryable, taskIds: readonly string[]): Promise<Map<string, Correction>> {
  const { rows } = await db.query<Correction & { taskId: string }>(READ, [taskIds]);
  return new Map(rows.map(({ taskId, ...correction }) => [taskId, correction]));
}

/** Older edits are deleted: the text is bounded by its own limits, so the history must be bounded as well. */
const MAX_EDITS = 5000;
const MAX_EDITS_BYTES = 16 * 2 ** 20;
const MAX_HISTORY_BYTES = 2 ** 20;

const limitMs = CLIENT_LIMIT_MS;
const COLUMNS = 'version, segments, changed_at as "changedAt", changed_by as "changedBy"';

const READ = {
  name: 'transcripts',
  limitMs,
  text: `select task_id as "taskId", ${COLUMNS} from transcripts where task_id = any($1::text[]) and version > 0`,
};

const CREATE = {
  name: 'transcript-create',
  limitMs,
  text: 'insert into transcripts (task_id, segments) values ($1, $2::json) on conflict do nothing',
};

const LOCK = {
  name: 'transcript-lock',
  limitMs,
  text: `select ${COLUMNS} from transcripts where task_id = $1 for no key update`,
};

const ADD_EDIT = {
  name: 'transcript-edit',
  limitMs,
  text: `
    insert into transcript_edits (task_id, version, position, removed, inserted, bytes, actor)
    values ($1, $2, $3, $4::text::json, $5::text::json, octet_length($4::text) + octet_length($5::text), $6)`,
};

const DELETE_OLD_EDITS = {
  name: 'transcript-edits-delete',
  limitMs,
  text: `
    delete from transcript_edits e
     using (select version, sum(bytes) over (order by version desc) as total from transcript_edits where task_id = $1) as t
     where e.task_id = $1 and e.version = t.version and (t.total > $3 or e.version <= $2)`,
};

const WRITE = {
  name: 'transcript-write',
  limitMs,
  text: `
    update transcripts
       set version = version + 1, segments = $2::json, changed_at = clock_timestamp(), changed_by = $3
     where task_id = $1
    returning ${COLUMNS}`,
};

const HISTORY = {
  name: 'transcript-history',
  limitMs,
  text: `
    select version, at, actor, position, removed, inserted
      from (select *, sum(bytes) over (order by version desc) as total
              from transcript_edits
             where task_id = $1
             order by version desc
             limit $2) as latest
     where total <= $3 or total = bytes
     order by version`,
};
