import type { Db } from '../../../base/db.ts';
import type { Files } from '../../../base/files.ts';
import type { Log } from '../../../base/log.ts';
import type { Admission } from '../../../tasks/admission.ts';
import type { TaskStore } from '../../../tasks/store.ts';
import { createFileDeletionQueue } from '../../shared/file-deletion-queue.ts';
import { keepFilesIfCommitted } from '../../shared/keep-files-if-committed.ts';
import type { DocumentStore } from '../documents.ts';
import { cleanup } from './cleanup.ts';
import { create } from './create.ts';
import { history, rename, update } from './edit.ts';
import { postgresEvents } from './events.ts';
import { readFailureStatistics } from './failure-statistics.ts';
import { postgresImages } from './images.ts';
import { foldBytes } from './quota.ts';
import { find, findWithResult, list, streamCompleted } from './read.ts';
import { remove, retry } from './retry-remove.ts';
import { isStrictForChanges, SERVICE } from './rows.ts';

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
}): DocumentStore & { deleteExpired(signal?: AbortSignal): Promise<void> } {
  const { db, tasks, files, admission, quotaBytes, strictOwnership: strict } = deps;
  const trash = createFileDeletionQueue({ ...deps, table: 'files_to_delete' });
  const images = postgresImages(db, { ttlSeconds: deps.imageTtlSeconds, quotaBytes });
  const events = postgresEvents(db);
  const afterCommit = async () => {
    tasks.hint(`changed:${SERVICE}`);
    await trash.drain();
  };

  return {
    async create(caller, documents, request, within) {
      const keys = documents.map(({ fileKey }) => fileKey);
      const created = await keepFilesIfCommitted(keys, deps, () =>
        create({ db, tasks, admission, quotaBytes }, caller, documents, request, within),
      );
      if (created.some(({ status }) => status === 'PENDING')) tasks.hint(`waiting:${SERVICE}`);
      // Of cached documents, and of images that became a PDF.
      await afterCommit();
      return created;
    },
    find: (caller, id) => find(db, caller, id, strict),
    findWithResult: (caller, id) => findWithResult(db, caller, id, strict),
    list: (session, page) => list(db, session, page),
    async update(caller, id, edits, options = {}) {
      const updated = await update(db, caller, id, edits, { strict: isStrictForChanges(caller, strict), ...options });
      tasks.hint(`changed:${SERVICE}`);
      return updated;
    },
    history: (caller, id) => history(db, caller, id, strict),
    async rename(caller, id, filename) {
      const renamed = await rename(db, caller, id, filename, isStrictForChanges(caller, strict));
      tasks.hint(`changed:${SERVICE}`);
      return renamed;
    },
    async retry(caller, id) {
      const retried = await retry({ db, tasks }, caller, id, isStrictForChanges(caller, strict));
      tasks.hint(`waiting:${SERVICE}`);
      tasks.hint(`changed:${SERVICE}`);
      return retried;
    },
    async remove(caller, id) {
      const removed = await remove({ db, tasks }, caller, id, isStrictForChanges(caller, strict));
      if (removed) await afterCommit();
      return removed;
    },

    streamCompleted: (filter) => streamCompleted(db, filter),
    async cleanup(options) {
      const removed = await cleanup({ db, tasks, trash }, options);
      tasks.hint(`changed:${SERVICE}`);
      return removed;
    },
    failureStatistics: (windowSeconds, caller) => readFailureStatistics(db, windowSeconds, caller),

    async addImage(caller, image, maxImages) {
      const added = await keepFilesIfCommitted([image.fileKey], deps, () => images.add(caller, image, maxImages));
      if (added === 'too-many') await files.remove(image.fileKey);
      return added;
    },
    images: images.all,
    image: images.find,
    rotateImage: images.rotate,
    async removeImage(session, id) {
      const removed = await images.remove(session, id);
      if (removed) await trash.drain();
      return removed;
    },
    async clearImages(session, tx) {
      await images.clear(session, tx);
      if (tx === undefined) await trash.drain();
    },

    events: events.after,
    lastEvent: events.last,
    findChangedSessions: events.findChangedSessions,
    onEvents(callback, signal) {
      // Finished tasks and our own changes; other changes are found by the periodic check.
      tasks.onHint('finished', callback, signal);
      tasks.onHint(`changed:${SERVICE}`, callback, signal);
    },

    /** Deletes expired data, and files that a crash left behind. */
    async deleteExpired(signal) {
      for (let more = true; more && !signal?.aborted; ) more = (await images.deleteExpired()) >= 1000;
      await trash.drain(signal);
      await events.deleteExpired();
      for (let more = true; more && !signal?.aborted; ) ({ more } = await foldBytes(db));
    },
  };
}
