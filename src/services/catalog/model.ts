import { type Bell, createBell, loop, rest } from '../../base/loop.ts';
import type { RecordSource } from '../records.ts';
import type { AttendHouse, SharedSettings } from '../service.ts';
import { openTrash } from '../trash.ts';
import { createCatalogMeters } from './model/catalog-meters.ts';
import { importedPictures } from './model/imported-picture.ts';
import { openPictures } from './model/pictures.ts';
import { openIndexer } from './records/feed.ts';
import { rebuildStep } from './records/rebuild.ts';
import { feedEarlier, switchSources } from './records/sources.ts';
import type { Own } from './settings.ts';

/** Polls at least this often, with or without a hint. */
const POLL_MS = 500;
/** Results within this time are indexed in one batch. */
const BATCH_WINDOW_MS = 50;
const PICTURE_WORKERS = 2;
/** Pictures of imported records and retries send no signal, so they are polled. */
const PICTURES_POLL_MS = 1000;
const REBUILD_POLL_MS = 2000;
/** Pause between iterations, and the first backoff after a failure. */
const REST_MS = 5;

export async function attend({
  context,
  settings,
  shared,
  signal,
}: {
  context: AttendHouse;
  settings: Pick<Own, 'sources'>;
  shared: SharedSettings;
  signal: AbortSignal;
}): Promise<void> {
  const { db, files, tasks, records, registry, log } = context;
  const sources = records.filter(({ service }) => settings.sources.includes(service));
  const meters = createCatalogMeters(registry);
  const indexer = openIndexer({ db, sources, log });
  const trash = openTrash({ db, files, log, table: 'catalog_trash' });
  const pictures = openPictures({ db, context, sources: [...records, importedPictures(shared)], trash, log });
  const finished = createBell();
  const recordsWritten = Array.from({ length: PICTURE_WORKERS }, createBell);
  const wakeAll = () => {
    for (const bell of [finished, ...recordsWritten]) bell.ring();
  };
  signal.addEventListener('abort', wakeAll);
  tasks.onHint('finished', finished.ring, signal);
  for (const { service } of sources) tasks.onHint(`changed:${service}`, finished.ring, signal);

  const index = async () => {
    const { indexed, more } = await indexer.turn();
    meters.indexed(indexed);
    if (indexed.size > 0) {
      for (const bell of recordsWritten) bell.ring();
      await trash.empty(signal);
    }
    if (more) return;
    await finished.wait(POLL_MS);
    await rest(BATCH_WINDOW_MS, signal);
  };
  const makePicture = async (bell: Bell) => {
    const outcome = await pictures.turn(signal);
    if (outcome === undefined) await bell.wait(PICTURES_POLL_MS);
    else meters.picture(outcome);
  };
  const rebuild = async () => {
    if (!(await rebuildStep(db))) await rest(REBUILD_POLL_MS, signal);
  };
  const repeat = (what: string, iteration: () => Promise<void>) =>
    loop(iteration, {
      restMs: REST_MS,
      signal,
      onError: (err) => signal.aborted || log.warn({ err }, `${what} failed and will be retried`),
    });

  await Promise.all([
    initSources(context, sources, signal),
    repeat('indexing', index),
    ...recordsWritten.map((bell) => repeat('creating pictures', () => makePicture(bell))),
    repeat('rebuilding the index', rebuild),
  ]);
}

/** Retries until it succeeds. */
async function initSources(
  { db, log }: AttendHouse,
  sources: readonly RecordSource[],
  signal: AbortSignal,
): Promise<void> {
  const done = new AbortController();
  const services = sources.map(({ service }) => service);
  await loop(
    async () => {
      await switchSources(db, services);
      await feedEarlier(db, signal);
      done.abort();
    },
    {
      restMs: POLL_MS,
      signal: AbortSignal.any([signal, done.signal]),
      onError: (err) => log.warn({ err }, 'the sources could not be set and will be retried'),
    },
  );
}
