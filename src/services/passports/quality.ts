import type { Static } from 'typebox';
import { ENGINE_VERSION } from './cache-key.ts';
import { inLanguage, type Schema } from './schema/schema.ts';
import type { QualityStats } from './statistics-schema.ts';
import type { DocumentStore } from './store/postgres.ts';
import { emptyQuality, type FieldQuality } from './store/quality.ts';

/** The statistics of the current engine version, with every field of the schema. */
export async function loadQuality(
  documents: DocumentStore,
  schema: Schema,
  { precision, language }: { precision: number; language: 'en' | 'ru' },
): Promise<Static<typeof QualityStats>> {
  const { documents: count, total, fields } = await documents.quality(ENGINE_VERSION, precision);
  return {
    precision,
    engine: ENGINE_VERSION,
    documents: count,
    total: toStats(total),
    fields: schema.sections.flatMap((section) =>
      [...(section.fields ?? []), ...(section.table?.columns ?? [])].map(({ key, label }) => {
        const field = `${section.key}:${key}`;
        return { field, label: inLanguage(label, language), ...toStats(fields.get(field) ?? emptyQuality()) };
      }),
    ),
  };
}

function toStats({ read, corrected, missed, bands, automatic }: FieldQuality) {
  return {
    ...{ read, corrected, missed, precision: precisionOf({ read, corrected }) },
    bands: bands.map((band) => ({ ...band, precision: precisionOf(band) })),
    automatic: automatic && {
      threshold: automatic.threshold,
      share: round(automatic.read / read),
      samples: automatic.read,
    },
  };
}

const precisionOf = ({ read, corrected }: { read: number; corrected: number }): number | null =>
  read === 0 ? null : round(1 - corrected / read);

const round = (share: number): number => Math.round(share * 1e4) / 1e4;
