import { Counter, type Registry } from 'prom-client';
import type { PictureOutcome } from './pictures.ts';

/** Sent with the worker's heartbeat. */
export interface CatalogMetrics {
  indexed(counts: ReadonlyMap<string, number>): void;
  picture(outcome: PictureOutcome): void;
}

export function createCatalogMetrics(registry: Registry): CatalogMetrics {
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
  return {
    indexed(counts) {
      for (const [service, count] of counts) indexed.inc({ service }, count);
    },
    picture: (outcome) => pictures.inc({ outcome }),
  };
}
