import { Counter, Gauge, type Registry } from 'prom-client';
import type { Db } from '../../../base/db.ts';
import { lagSeconds } from '../records/feed.ts';
import type { PictureOutcome } from './pictures.ts';

/** What the catalog's worker counts; it travels with its heartbeat. */
export interface CatalogMeters {
  /** Records that were written, by service. */
  indexed(counts: ReadonlyMap<string, number>): void;
  picture(outcome: PictureOutcome): void;
  /** Looks how many records there are and how long the feed has waited. */
  look(): Promise<void>;
}

export function createCatalogMeters({ registry, db }: { registry: Registry; db: Db }): CatalogMeters {
  const registers = [registry];
  // Every worker looks at the same tables: their sum would be a lie.
  const aggregator = 'max' as const;
  const documents = new Gauge({
    name: 'assay_catalog_documents',
    help: 'Records that can be found, hidden ones left out.',
    ...{ aggregator, registers },
  });
  new Gauge({
    name: 'assay_catalog_lag_seconds',
    help: 'How long what waits longest to be indexed has waited.',
    ...{ aggregator, registers },
    async collect() {
      // A scrape is not to fail because the database is away.
      await lagSeconds(db).then(
        (seconds) => this.set(seconds),
        () => {},
      );
    },
  });
  const indexed = new Counter({
    name: 'assay_catalog_indexed_total',
    help: 'Records written from finished tasks.',
    labelNames: ['service'],
    registers,
  });
  const pictures = new Counter({
    name: 'assay_catalog_pictures_total',
    help: 'Tries to make a picture of a record, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  return {
    indexed(counts) {
      for (const [service, count] of counts) indexed.inc({ service }, count);
    },
    picture: (outcome) => pictures.inc({ outcome }),
    async look() {
      const { rows } = await db.query<{ count: number }>('select count(*) from catalog_records where not hidden');
      documents.set(rows[0]!.count);
    },
  };
}
