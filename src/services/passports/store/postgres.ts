import type { Db } from '../../../base/db.ts';
import type { Files } from '../../../base/files.ts';
import type { Log } from '../../../base/log.ts';
import type { Admission } from '../../../tasks/admission.ts';
import type { TaskStore } from '../../../tasks/store.ts';
import { openTrash } from '../../trash.ts';
import { writeDown } from '../../write-down.ts';
import type { Documents } from '../documents.ts';
import { cleanup } from './cleanup.ts';
import { create } from './create.ts';
import { history, rename, update } from './edit.ts';
import { remove, retry } from './end.ts';
import { postgresEvents } from './events.ts';
import { postgresImages } from './images.ts';
import { foldBytes } from './quota.ts';
import { each, find, list, open } from './read.ts';
import { SERVICE, strictForChanges } from './rows.ts';
import { failures } from './statistics.ts';

export function postgresDocuments(deps: {
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
}): Documents & { tidy(signal?: AbortSignal): Promise<void> } {
  const { db, tasks, files, admission, quotaBytes, strictOwnership: strict } = deps;
  const trash = openTrash({ ...deps, table: 'passport_trash' });
  const images = postgresImages(db, { ttlSeconds: deps.imageTtlSeconds, quotaBytes });
  const events = postgresEvents(db);
  const afterCommit = async () => {
    tasks.hint(`changed:${SERVICE}`);
    await trash.empty();
  };

  return {
    async create(caller, documents, request, within) {
      const keys = documents.map(({ fileKey }) => fileKey);
      const created = await writeDown(keys, deps, () =>
        create({ db, tasks, admission, quotaBytes }, caller, documents, request, within),
      );
      if (created.some(({ status }) => status === 'PENDING')) tasks.hint(`waiting:${SERVICE}`);
      // Of cached documents, and of images that became a PDF.
      await afterCommit();
      return created;
    },
    find: (caller, id) => find(db, caller, id, strict),
    open: (caller, id) => open(db, caller, id, strict),
    list: (session, page) => list(db, session, page),
    async update(caller, id, edits, options = {}) {
      const updated = await update(db, caller, id, edits, { strict: strictForChanges(caller, strict), ...options });
      tasks.hint(`changed:${SERVICE}`);
      return updated;
    },
    history: (caller, id) => history(db, caller, id, strict),
    async rename(caller, id, filename) {
      const renamed = await rename(db, caller, id, filename, strictForChanges(caller, strict));
      tasks.hint(`changed:${SERVICE}`);
      return renamed;
    },
    async retry(caller, id) {
      const retried = await retry({ db, tasks }, caller, id, strictForChanges(caller, strict));
      tasks.hint(`waiting:${SERVICE}`);
      tasks.hint(`changed:${SERVICE}`);
      return retried;
    },
    async remove(caller, id) {
      const removed = await remove({ db, tasks }, caller, id, strictForChanges(caller, strict));
      if (removed) await afterCommit();
      return removed;
    },

    each: (filter) => each(db, filter),
    async cleanup(options) {
      const removed = await cleanup({ db, tasks, trash }, options);
      tasks.hint(`changed:${SERVICE}`);
      return removed;
    },
    failures: (windowSeconds, caller) => failures(db, windowSeconds, caller),

    async addImage(caller, image, maxImages) {
      const added = await writeDown([image.fileKey], deps, () => images.add(caller, image, maxImages));
      if (added === 'too-many') await files.remove(image.fileKey);
      return added;
    },
    images: images.all,
    image: images.find,
    rotateImage: images.rotate,
    async removeImage(session, id) {
      const removed = await images.remove(session, id);
      if (removed) await trash.empty();
      return removed;
    },
    async clearImages(session, tx) {
      await images.clear(session, tx);
      if (tx === undefined) await trash.empty();
    },

    events: events.after,
    lastEvent: events.last,
    stirred: events.stirred,
    onEvents(callback, signal) {
      // Finished tasks and our own changes; other changes are found by the periodic check.
      tasks.onHint('finished', callback, signal);
      tasks.onHint(`changed:${SERVICE}`, callback, signal);
    },

    /** Deletes expired data, and files that a crash left behind. */
    async tidy(signal) {
      for (let more = true; more && !signal?.aborted; ) more = (await images.sweep()) >= 1000;
      await trash.empty(signal);
      await events.sweep();
      for (let more = true; more && !signal?.aborted; ) ({ more } = await foldBytes(db));
    },
  };
}
