import { Counter, type Registry } from 'prom-client';
import type { PictureOutcome } from './pictures.ts';

/** Sent with the worker's heartbeat. */
export function createCatalogMetrics(registry: Registry) {
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
    indexed(counts: ReadonlyMap<string, number>) {
      for (const [service, count] of counts) indexed.inc({ service }, count);
    },
    picture: (outcome: PictureOutcome) => pictures.inc({ outcome }),
  };
}
