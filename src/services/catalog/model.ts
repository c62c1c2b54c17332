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

/** What has ended is looked for at least this often, hint or no hint. */
const LOOK_MS = 500;
/** What ends within this time of another is indexed together with it. */
const GATHER_MS = 50;
const PICTURES_AT_ONCE = 2;
/** Pictures of imported records, and those that are to be tried again, ring no bell. */
const PICTURES_LOOK_MS = 1000;
const REBUILD_LOOK_MS = 2000;
/** Between two turns, and the beginning of the rests after one that failed. */
const REST_MS = 5;

/** Keeps the records up with what the services finish, until `signal` aborts. */
export async function attend({
  house,
  own,
  shared,
  signal,
}: {
  house: AttendHouse;
  own: Pick<Own, 'sources'>;
  shared: SharedSettings;
  signal: AbortSignal;
}): Promise<void> {
  const { db, files, tasks, records, registry, log } = house;
  const sources = records.filter(({ service }) => own.sources.includes(service));
  const meters = createCatalogMeters(registry);
  const indexer = openIndexer({ db, sources, log });
  const trash = openTrash({ db, files, log, table: 'catalog_trash' });
  const pictures = openPictures({ db, house, sources: [...records, importedPictures(shared)], trash, log });
  const ended = createBell();
  const written = Array.from({ length: PICTURES_AT_ONCE }, createBell);
  const ringAll = () => {
    for (const bell of [ended, ...written]) bell.ring();
  };
  signal.addEventListener('abort', ringAll);
  tasks.onHint('finished', ended.ring, signal);
  for (const { service } of sources) tasks.onHint(`changed:${service}`, ended.ring, signal);

  const index = async () => {
    const { indexed, more } = await indexer.turn();
    meters.indexed(indexed);
    if (indexed.size > 0) {
      for (const bell of written) bell.ring();
      await trash.empty(signal);
    }
    if (more) return;
    await ended.wait(LOOK_MS);
    await rest(GATHER_MS, signal);
  };
  const makePicture = async (bell: Bell) => {
    const outcome = await pictures.turn(signal);
    if (outcome === undefined) await bell.wait(PICTURES_LOOK_MS);
    else meters.picture(outcome);
  };
  const rebuild = async () => {
    if (!(await rebuildStep(db))) await rest(REBUILD_LOOK_MS, signal);
  };
  const again = (what: string, turn: () => Promise<void>) =>
    loop(turn, {
      restMs: REST_MS,
      signal,
      onError: (err) => signal.aborted || log.warn({ err }, `${what} has failed, and will be tried again`),
    });

  await Promise.all([
    begin(house, sources, signal),
    again('indexing', index),
    ...written.map((bell) => again('making pictures', () => makePicture(bell))),
    again('indexing everything anew', rebuild),
  ]);
}

/** Says whose work is to be indexed, and fetches what was there before; until the database hears it. */
async function begin({ db, log }: AttendHouse, sources: readonly RecordSource[], signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const services = sources.map(({ service }) => service);
  await loop(
    async () => {
      await switchSources(db, services);
      await feedEarlier(db, signal);
      over.abort();
    },
    {
      restMs: LOOK_MS,
      signal: AbortSignal.any([signal, over.signal]),
      onError: (err) => log.warn({ err }, 'the sources could not be switched on; it will be tried again'),
    },
  );
}
