import type { Readable } from 'node:stream';
import { payloadTooLarge, unsupportedFile } from '../../base/api-error.ts';
import { FileTooLarge } from '../../base/files.ts';
import { newId } from '../../base/ids.ts';
import { InvalidInput } from '../../http/validation-details.ts';
import { createPostgresUploadStore } from '../../tasks/uploads.ts';
import { waitForEnd } from '../../tasks/wait.ts';
import { requireArrivalRate } from '../shared/arrival-rate.ts';
import { keepFilesIfCommitted } from '../shared/keep-files-if-committed.ts';
import { decodeFeatures, type PictureFeatures } from '../shared/picture-features.ts';
import type { GatewayContext, SharedSettings } from '../shared/service.ts';
import { pictureSearchUnavailable, tooManyPictureSearches } from './api-errors.ts';

/** The client of these tasks, in place of a token. */
const PRINCIPAL = 'catalog';
/** A search fails after this time without a worker. */
const WAIT_MS = 20_000;
/** Of the file and the task if this process exits before it deletes them. */
const KEPT_SECONDS = 60;
/** Tasks at once in this process; further ones are rejected. Bounds the queue. */
const MAX_SEARCHES = 8;
/** At once, with those whose photo is still arriving. */
const MAX_PER_CLIENT = 4;

export type PictureSearch = NonNullable<ReturnType<typeof createPictureSearch>>;

/**
 * Describes pictures by tasks of the service whose worker has the model. The task, the file and the description are deleted before
 * the response. Undefined without such a service, and without uploads (FILES_HOST).
 */
export function createPictureSearch(
  context: Pick<GatewayContext, 'records' | 'databases' | 'files' | 'log'>,
  shared: Pick<SharedSettings, 'filesHost' | 'filesQuotaBytes'>,
  waitMs = WAIT_MS,
) {
  const { records, databases, files, log } = context;
  const { filesHost, filesQuotaBytes: quotaBytes } = shared;
  const { service, pictureTasks } = records.find((source) => source.pictureTasks !== undefined) ?? {};
  const database = databases.find(({ services }) => service !== undefined && services.includes(service));
  if (service === undefined || !pictureTasks || !database || filesHost === undefined) return undefined;
  const { db, tasks } = database;
  const { type, input, isRejection } = pictureTasks;
  const uploads = createPostgresUploadStore(db);
  /** By client. */
  const running = new Map<string, number>();
  let searching = 0;

  async function store(bytes: Readable): Promise<string> {
    const { key, sizeBytes, head } = await files
      .put(requireArrivalRate(bytes), { maxBytes: type.maxBytes })
      .catch((error: unknown) => {
        throw error instanceof FileTooLarge ? payloadTooLarge(type.maxBytes) : error;
      });
    await keepFilesIfCommitted([key], context, async () => {
      const contentType = type.sniff(head);
      if (contentType === undefined) throw unsupportedFile(type.expected, sizeBytes === 0);
      const upload = { key, sizeBytes, contentType, principal: PRINCIPAL };
      if (!(await uploads.insert(upload, { ttlSeconds: KEPT_SECONDS, quotaBytes }))) throw tooManyPictureSearches();
    });
    return key;
  }

  async function runTask(key: string, requestId: string, signal: AbortSignal): Promise<PictureFeatures> {
    const id = newId();
    searching++;
    try {
      if (searching > MAX_SEARCHES) throw tooManyPictureSearches();
      await tasks.accept({
        ...{ id, service: service!, requestId, principal: PRINCIPAL, priority: 'realtime', estimateSeconds: 0 },
        input: input(`https://${filesHost}/${key}`),
        ...{ deadlineSeconds: waitMs / 1000, ttlSeconds: KEPT_SECONDS },
      });
      const task = await waitForEnd(tasks, service!, id, { ms: waitMs, signals: [signal] });
      const features = task?.status === 'done' ? decodeFeatures(await tasks.readAttachment(id)) : undefined;
      if (features) return features;
      if (task?.status !== 'failed' || !isRejection(task.failure)) throw pictureSearchUnavailable();
      const { code, message } = task.failure;
      throw new InvalidInput([{ loc: ['body', 'file'], msg: message, type: code.toLowerCase() }]);
    } finally {
      searching--;
      // Otherwise they expire. File first, row second: without the row, the cleanup would not find the file.
      await Promise.all([tasks.remove(service!, [id]), files.remove(key).then(() => uploads.remove(key))]).catch(
        (err: unknown) => log.warn({ err }, 'a searched picture could not be deleted; it expires'),
      );
    }
  }

  /** Runs a search of a client that has not too many of them. */
  async function limitClient<T>(client: string, run: () => Promise<T>): Promise<T> {
    const own = running.get(client) ?? 0;
    if (own >= MAX_PER_CLIENT) throw tooManyPictureSearches();
    running.set(client, own + 1);
    try {
      return await run();
    } finally {
      const left = running.get(client)! - 1;
      if (left === 0) running.delete(client);
      else running.set(client, left);
    }
  }

  return {
    type,
    limitClient,

    /** `signal` ends the wait for a worker. */
    describe(
      bytes: Readable,
      { client, requestId, signal }: { client: string; requestId: string; signal: AbortSignal },
    ): Promise<PictureFeatures> {
      return limitClient(client, async () => runTask(await store(bytes), requestId, signal));
    },
  };
}
