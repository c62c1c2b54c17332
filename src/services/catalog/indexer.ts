import { setMaxListeners } from 'node:events';
import { Counter, type Registry } from 'prom-client';
import type { Log } from '../../base/log.ts';
import { createSignal, loop, type Signal, sleep } from '../../base/loop.ts';
import { createTokenStore } from '../../http/token-store.ts';
import { createFileDeletionQueue } from '../shared/file-deletion-queue.ts';
import type { RecordSource } from '../shared/records.ts';
import type { BackgroundJobContext, ServiceDatabase, SharedSettings } from '../shared/service.ts';
import { createMatcher } from './alerts/matcher.ts';
import { type configuredEntries, createTokens } from './auth/tokens.ts';
import { importedPictureSource } from './model/imported-picture.ts';
import { compareNextPhoto } from './model/photos.ts';
import { createPictureWorker, type PictureOutcome } from './model/pictures.ts';
import { createIndexer } from './records/feed.ts';
import { runRebuildStep } from './records/rebuild.ts';
import { backfillFeed, setSources } from './records/sources.ts';
import type { CatalogSettings } from './settings.ts';

/** Polls at least this often, with or without a hint. */
const POLL_MS = 500;
/** Results within this time are indexed in one batch. */
const BATCH_WINDOW_MS = 50;
/** Records within this time are matched together. */
const MATCH_WINDOW_MS = 100;
const PICTURE_WORKERS = 2;
/** Pictures of imported records and retries send no signal, so they are polled. */
const PICTURES_POLL_MS = 1000;
const PHOTOS_POLL_MS = 1000;
const REBUILD_POLL_MS = 2000;
/** Pause between iterations, and the first backoff after a failure. */
const REST_MS = 5;

export async function runIndexer({
  context,
  settings,
  shared,
  entries,
  signal,
}: {
  context: BackgroundJobContext;
  settings: Pick<CatalogSettings, 'sources'>;
  shared: SharedSettings;
  entries: ReturnType<typeof configuredEntries>;
  signal: AbortSignal;
}): Promise<void> {
  const { db, files, databases, records, registry, log } = context;
  const sources = records.filter(({ service }) => settings.sources.includes(service));
  const metrics = createCatalogMetrics(registry);
  const deletions = createFileDeletionQueue({ db, files, log }, { table: 'catalog_files_to_delete' });
  const pictures = createPictureWorker({
    db,
    context,
    sources: [...records, importedPictureSource(shared)],
    deletions,
    log,
  });
  setMaxListeners(0, signal); // of all the loops below
  const issued = await createTokenStore({ db, log, signal });
  const tokens = createTokens(entries, () => issued.of('catalog'));
  const matcher = createMatcher({
    ...{ db, log, roleOf: tokens.roleOf },
    messageTtlSeconds: shared.resultTtlSeconds,
  });
  const recordsIndexed = createSignal();
  const recordsWritten = Array.from({ length: PICTURE_WORKERS }, createSignal);
  const wakeAll = () => {
    for (const hint of [recordsIndexed, ...recordsWritten]) hint.notify();
  };
  signal.addEventListener('abort', wakeAll);

  /** One loop per database, so that one that is unavailable does not stop the others. */
  const index = (feed: (typeof databases)[number]) => {
    const indexer = createIndexer({ db, feed, sources, log, onSkipped: metrics.skipped });
    const finished = createSignal();
    signal.addEventListener('abort', finished.notify);
    feed.tasks.onHint('finished', finished.notify, signal);
    for (const { service } of sources) feed.tasks.onHint(`changed:${service}`, finished.notify, signal);
    return async () => {
      const { indexed, more } = await indexer.indexBatch();
      metrics.indexed(indexed);
      if (indexed.size > 0) {
        wakeAll();
        await deletions.drain(signal);
      }
      if (more) return;
      await finished.wait(POLL_MS);
      await sleep(BATCH_WINDOW_MS, signal);
    };
  };
  const makePicture = async (written: Signal) => {
    const outcome = await pictures.processNext(signal);
    if (outcome === undefined) await written.wait(PICTURES_POLL_MS);
    else metrics.picture(outcome);
  };
  const matchAlerts = async () => {
    if (tokens.isComplete() && (await matcher.run())) return;
    await recordsIndexed.wait(POLL_MS);
    await sleep(MATCH_WINDOW_MS, signal);
  };
  const pageServices = records.filter(({ showsPages }) => showsPages).map(({ service }) => service);
  const comparePhoto = async () => {
    if (!(await compareNextPhoto(db, files, pageServices))) await sleep(PHOTOS_POLL_MS, signal);
  };
  const rebuild = async () => {
    if (!(await runRebuildStep(db, databases))) await sleep(REBUILD_POLL_MS, signal);
  };
  const repeat = (what: string, iteration: () => Promise<void>) =>
    loop(iteration, {
      intervalMs: REST_MS,
      signal,
      onError: (err) => signal.aborted || log.warn({ err }, `${what} failed and will be retried`),
    });

  await Promise.all([
    ...databases.map((database) => initSources(database, sources, { log, signal })),
    ...databases.map((database) => repeat(`indexing ${database.services.join(', ')}`, index(database))),
    ...recordsWritten.map((written) => repeat('creating pictures', () => makePicture(written))),
    repeat('matching alerts', matchAlerts),
    repeat('comparing photos', comparePhoto),
    repeat('rebuilding the index', rebuild),
  ]);
}

/** Retries until it succeeds. */
async function initSources(
  { db, services, servicesElsewhere }: ServiceDatabase,
  sources: readonly RecordSource[],
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<void> {
  const done = new AbortController();
  const own = sources.map(({ service }) => service).filter((service) => services.includes(service));
  await loop(
    async () => {
      await setSources(db, own, servicesElsewhere);
      await backfillFeed(db, signal, servicesElsewhere);
      done.abort();
    },
    {
      intervalMs: POLL_MS,
      signal: AbortSignal.any([signal, done.signal]),
      onError: (err) => log.warn({ err }, 'the sources could not be set and will be retried'),
    },
  );
}

/** Sent with the worker's heartbeat. */
function createCatalogMetrics(registry: Registry) {
  const registers = [registry];
  const indexed = new Counter({
    name: 'assay_catalog_indexed_total',
    help: 'Records written from finished tasks.',
    labelNames: ['service'],
    registers,
  });
  const pictures = new Counter({
    name: 'assay_catalog_pictures_total',
    help: 'Attempts to create a picture of a record, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  const skipped = new Counter({
    name: 'assay_catalog_skipped_total',
    help: 'Finished tasks that were not indexed because of repeated errors; see the log.',
    labelNames: ['service'],
    registers,
  });
  return {
    skipped: (service: string) => skipped.inc({ service }),
    indexed(counts: ReadonlyMap<string, number>) {
      for (const [service, count] of counts) indexed.inc({ service }, count);
    },
    picture: (outcome: PictureOutcome) => pictures.inc({ outcome }),
  };
}
