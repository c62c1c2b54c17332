import type { Db, Queryable } from '../../../base/db.ts';
import type { Files } from '../../../base/files.ts';
import type { Log } from '../../../base/log.ts';
import type { Admission } from '../../../tasks/admission.ts';
import type { TaskStore } from '../../../tasks/store.ts';
import type { Priority } from '../../../tasks/task.ts';
import { createFileDeletionQueue } from '../../shared/file-deletion-queue.ts';
import type { Grouping } from '../../shared/grouping.ts';
import { keepFilesIfCommitted } from '../../shared/keep-files-if-committed.ts';
import { queueOf } from '../../shared/sandbox/queue.ts';
import type { Caller, ImageRow, NewDocument, TransactionHook } from '../documents.ts';
import type { Value } from '../extraction.ts';
import { cleanup } from './cleanup.ts';
import { create } from './create.ts';
import { confirm, history, remove, rename, retry, touch, update } from './edit.ts';
import { postgresEvents } from './events.ts';
import { readFailureStatistics } from './failure-statistics.ts';
import { postgresImages } from './images.ts';
import { readQuality } from './quality.ts';
import { foldBytes, requireRoom } from './quota.ts';
import { find, findAllWithResult, findWithResult, list, streamCompleted } from './read.ts';
import { isStrictForChanges, SERVICE } from './rows.ts';
import { deleteOrphanedTemplates } from './templates.ts';

export type DocumentStore = ReturnType<typeof postgresDocumentStore>;

/**
 * Methods return `undefined` for documents that do not exist or that the caller may not see or change (only
 * administrators change documents of other anonymous sessions). Each change is one transaction.
 */
export function postgresDocumentStore(deps: {
  db: Db;
  tasks: TaskStore;
  files: Files;
  log: Log;
  /** Needed only to create documents. */
  admission?: Admission;
  strictOwnership: boolean;
  imageTtlSeconds: number;
  /** Per API key, or per session without one. */
  quotaBytes: number;
}) {
  const { db, tasks, files, admission, quotaBytes, strictOwnership: strict } = deps;
  const deletions = createFileDeletionQueue(deps, { table: 'passport_files_to_delete' });
  const images = postgresImages(db, { ttlSeconds: deps.imageTtlSeconds, quotaBytes });
  const events = postgresEvents(db);
  const strictForChanges = (caller: Caller) => isStrictForChanges(caller, strict);
  async function hintAfter<Result>(change: Promise<Result>) {
    const result = await change;
    tasks.hint(`changed:${SERVICE}`);
    return result;
  }
  const afterCommit = async () => {
    tasks.hint(`changed:${SERVICE}`);
    await deletions.drain();
  };

  return {
    /**
     * All or none. If a completed document has the same `cacheKey`, the new one starts as `SUCCESS`, `cached`, with its
     * original extraction and file. Throws `QUOTA_EXCEEDED`. Deletes the files on an error, unless the outcome of the
     * transaction is unknown.
     */
    async create(
      caller: Caller,
      documents: readonly NewDocument[],
      request?: { id?: string; traceparent?: string; grouping?: Grouping; priority?: Priority },
      within?: TransactionHook,
    ) {
      const keys = documents.map(({ fileKey }) => fileKey);
      const created = await keepFilesIfCommitted(keys, deps, () =>
        create({ db, tasks, admission, quotaBytes }, caller, documents, request, within),
      );
      if (created.some(({ status }) => status === 'PENDING')) tasks.hint(`waiting:${queueOf(SERVICE, caller.key)}`);
      // Of cached documents, and of images that became a PDF.
      await afterCommit();
      return created;
    },
    requireRoom: (caller: Caller, moreBytes: number) => requireRoom(db, caller, moreBytes, quotaBytes),
    find: (caller: Caller, id: string) => find(db, caller, id, strict),
    findWithResult: (caller: Caller, id: string) => findWithResult(db, caller, id, strict),
    findAllWithResult: (caller: Caller, ids: readonly string[]) => findAllWithResult(db, caller, ids, strict),
    /** Newest first. `total` counts all documents that match. */
    list: (session: string, page: Parameters<typeof list>[2]) => list(db, session, page),
    /** `conflict` if `ifVersion` differs from the document's version. Without actual changes the version stays. */
    update: (
      caller: Caller,
      id: string,
      edits: readonly { key: string; value: Value }[],
      options: { ifVersion?: number } = {},
    ) => hintAfter(update(db, caller, id, edits, { strict: strictForChanges(caller), ...options })),
    /** Confirms all values of the current version; `conflict` if `ifVersion` differs from it. */
    confirm: (caller: Caller, id: string, options: { ifVersion?: number } = {}) =>
      hintAfter(confirm(db, caller, id, { strict: strictForChanges(caller), ...options })),
    /** The latest 1000 edits of together 4 MiB, oldest first; always the last one. */
    history: (caller: Caller, id: string) => history(db, caller, id, strict),
    rename: (caller: Caller, id: string, filename: string) =>
      hintAfter(rename(db, caller, id, filename, strictForChanges(caller))),
    /** `FAILED` or `ERROR` → `PENDING`; one of two concurrent calls succeeds. Throws the error for a full queue. */
    async retry(caller: Caller, id: string) {
      const retried = await retry({ db, tasks, admission }, caller, id, strictForChanges(caller));
      tasks.hint(`waiting:${queueOf(SERVICE, caller.key)}`);
      tasks.hint(`changed:${SERVICE}`);
      return retried;
    },
    /** In a transaction that requeues tasks. */
    touch,
    /** Deletes document and task in any state, and the file with its last reference. */
    async remove(caller: Caller, id: string) {
      const removed = await remove({ db, tasks }, caller, id, strictForChanges(caller));
      if (removed) await afterCommit();
      return removed;
    },

    /** `SUCCESS` documents created in `[from, to)`, oldest first, in constant memory. */
    streamCompleted: (filter: Parameters<typeof streamCompleted>[1]) => streamCompleted(db, filter),
    /** `busy` if another cleanup does not end within 5 s. */
    cleanup: (options: { days: number; dryRun: boolean }) => hintAfter(cleanup({ db, tasks, deletions }, options)),
    /** Of readings of all owners by one engine version; `automatic` is for this precision. */
    quality: (engine: string, precision: number) => readQuality(db, engine, precision),
    failureStatistics: (windowSeconds: number, caller: Caller) => readFailureStatistics(db, windowSeconds, caller),

    /**
     * `too-many` if the session would hold more than `maxImages`. Then, and on errors such as `QUOTA_EXCEEDED`, the file
     * is deleted, unless the outcome of the transaction is unknown.
     */
    async addImage(caller: Caller, image: Omit<ImageRow, 'id' | 'rotation'>, maxImages: number) {
      const added = await keepFilesIfCommitted([image.fileKey], deps, () => images.add(caller, image, maxImages));
      if (added === 'too-many') await files.remove(image.fileKey);
      return added;
    },
    images: images.all,
    image: images.find,
    rotateImage: images.rotate,
    async removeImage(session: string, id: string) {
      const removed = await images.remove(session, id);
      if (removed) await deletions.drain();
      return removed;
    },
    async removeImages(session: string, ids: readonly string[], tx?: Queryable) {
      await images.removeMany(session, ids, tx);
      if (tx === undefined) await deletions.drain();
    },

    events: events.after,
    lastEvent: events.last,
    findChangedSessions: events.findChangedSessions,
    /** Calls `callback` soon after a change in any session, and also without one. */
    onEvents(callback: () => void, signal: AbortSignal) {
      // Finished tasks and our own changes; other changes are found by the periodic check.
      tasks.onHint('finished', callback, signal);
      tasks.onHint(`changed:${SERVICE}`, callback, signal);
    },

    /** Deletes expired data, and files that a crash left behind. */
    async deleteExpired(signal?: AbortSignal) {
      for (let more = true; more && !signal?.aborted; ) more = (await images.deleteExpired()) >= 1000;
      await deletions.drain(signal);
      await events.deleteExpired();
      await deleteOrphanedTemplates(db);
      for (let more = true; more && !signal?.aborted; ) ({ more } = await foldBytes(db));
    },
  };
}
