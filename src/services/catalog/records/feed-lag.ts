import { CLIENT_LIMIT_MS } from '../../../base/db.ts';
import type { Feed } from './feed.ts';

/**
 * Returns the waiting time of the oldest task to be indexed, in seconds. Does not wait for a database that did not respond
 * before: its last value grows meanwhile.
 */
export function createFeedLag(feeds: readonly Feed[], now = () => performance.now()): () => Promise<number> {
  const readers = feeds.map((feed) => lagReader(feed, now));
  return async () => Math.max(0, ...(await Promise.all(readers.map((read) => read()))));
}

function lagReader({ db, servicesElsewhere }: Feed, now: () => number): () => Promise<number> {
  let last = { seconds: 0, at: now() };
  let isFailing = false;
  let reading: Promise<void> | undefined;

  const read = async () => {
    const { rows } = await db.query<{ seconds: number }>(LAG, [servicesElsewhere]);
    last = { seconds: rows[0]?.seconds ?? 0, at: now() };
  };
  return async () => {
    reading ??= read()
      .then(
        () => (isFailing = false),
        () => (isFailing = true),
      )
      .then(() => {
        reading = undefined;
      });
    if (!isFailing) await reading;
    return last.seconds + (isFailing ? (now() - last.at) / 1000 : 0);
  };
}

const LAG = {
  name: 'catalog-lag',
  limitMs: CLIENT_LIMIT_MS,
  text: `
    select greatest(0, extract(epoch from clock_timestamp() - at))::float8 as seconds
      from catalog_feed
     where service <> all($1::text[])
     order by serial
     limit 1`,
};
