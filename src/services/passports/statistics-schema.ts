import { Type } from 'typebox';
import { Moment, nullable, Status, Uuid } from './api-schema.ts';

/** The schemas of `/api/stats`. */

export const FailedQuery = Type.Object({ window: Type.Integer({ minimum: 60, maximum: 86_400, default: 3600 }) });
export const FailedStats = Type.Object({
  window_seconds: Type.Integer(),
  since: Moment,
  total_tasks: Type.Integer({ description: 'Tasks that ended in the window.' }),
  failed_total: Type.Integer(),
  failure_rate: Type.Number({ minimum: 0, maximum: 1 }),
  by_status: Type.Record(Type.String(), Type.Integer()),
  by_error_type: Type.Record(Type.String(), Type.Integer()),
  recent: Type.Array(Type.Object({ id: Uuid, status: Status, error_type: Type.String(), failed_at: Moment }), {
    maxItems: 20,
  }),
});

export const QualityQuery = Type.Object({
  precision: Type.Number({ minimum: 0.5, maximum: 1, default: 0.99, description: 'Share of right values to reach.' }),
});
const precision = nullable(
  Type.Number({ minimum: 0, maximum: 1, description: 'Share of values that were not corrected; null without values.' }),
);
const qualityCounts = {
  read: Type.Integer({ description: 'Values that were read.' }),
  corrected: Type.Integer({ description: 'Of these, values that a person changed.' }),
};
const fieldQuality = {
  ...qualityCounts,
  missed: Type.Integer({ description: 'Values that a person added.' }),
  precision,
  bands: Type.Array(Type.Object({ from: Type.Number(), to: Type.Number(), ...qualityCounts, precision }), {
    description: 'By confidence, from low to high; `from` is included, `to` only in the last band.',
  }),
  automatic: nullable(
    Type.Object(
      {
        threshold: Type.Number({
          minimum: 0,
          maximum: 1,
          description: 'The lowest confidence that reaches the precision.',
        }),
        share: Type.Number({
          minimum: 0,
          maximum: 1,
          description: 'Share of the read values from this confidence on.',
        }),
        samples: Type.Integer({ description: 'Number of values from this confidence on.' }),
      },
      { description: 'The values that need no person at the chosen precision; null if no confidence reaches it.' },
    ),
  ),
};
export const QualityStats = Type.Object({
  precision: Type.Number({ description: 'The chosen precision.' }),
  engine: Type.String({ description: 'Engine version of the readings.' }),
  documents: Type.Integer({ description: 'Documents that were corrected or confirmed.' }),
  total: Type.Object(fieldQuality),
  fields: Type.Array(
    Type.Object({
      field: Type.String({ description: '`section:field` or `section:column`.' }),
      label: Type.String(),
      ...fieldQuality,
    }),
  ),
});
