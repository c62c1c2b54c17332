import { Type } from 'typebox';
import { groupingFields } from '../../shared/grouping.ts';

/** For the API description only: `readRecords` validates each record separately. */
export const DocumentedRecords = Type.Object({
  records: Type.Array(
    Type.Object({
      record_id: Type.String({ minLength: 1, maxLength: 200, description: 'A record with this id is replaced.' }),
      title: Type.Optional(Type.String({ maxLength: 500, description: 'Default: the id.' })),
      text: Type.Optional(Type.String({ maxLength: 100_000 })),
      image_url: Type.Optional(
        Type.String({
          maxLength: 2048,
          description:
            'https URL on a public host, or the `url` of an uploaded file (`POST /files`); a copy is stored.',
        }),
      ),
      attributes: Type.Optional(
        Type.Object({}, { additionalProperties: true, description: 'At most 16 KiB; the values are searchable.' }),
      ),
      ...groupingFields,
      created_at: Type.Optional(
        Type.String({ description: '2026-05-31 or 2026-05-31T12:00:00Z (RFC 3339). Default: now.' }),
      ),
    }),
    { maxItems: 1000 },
  ),
});

/** Tables are converted first. */
export const Records = Type.Object({ records: Type.Array(Type.Unknown()) });

export const Indexed = Type.Object({
  indexed: Type.Integer({ description: 'Number of imported records.' }),
  failed: Type.Array(
    Type.Object({
      row: Type.Integer({ description: 'Position in the request from 1, without a table header.' }),
      record_id: Type.Optional(Type.String()),
      detail: Type.Array(
        Type.Object({
          loc: Type.Array(Type.Union([Type.String(), Type.Integer()])),
          msg: Type.String(),
          type: Type.String(),
          input: Type.Optional(Type.Unknown()),
          ctx: Type.Optional(Type.Object({}, { additionalProperties: true })),
        }),
      ),
    }),
    { description: 'Records that were not imported, with the reasons.' },
  ),
});

export const INDEXED = {
  indexed: 1,
  failed: [
    {
      row: 2,
      record_id: 'bridge-8',
      detail: [
        {
          loc: ['body', 'records', 1, 'created_at'],
          msg: 'Input should be a valid date or datetime, like 2026-05-31 or 2026-05-31T12:00:00Z',
          type: 'datetime_parsing',
          input: 'yesterday',
        },
      ],
    },
  ],
};

export const EXAMPLE = {
  records: [{ record_id: 'bridge-7', title: 'Bridge 7', text: 'crack in the third beam', attributes: { km: 12.4 } }],
};

export const Rebuilding = Type.Object({ rebuilding: Type.Literal(true) });

export const State = Type.Object({
  documents: Type.Integer({ description: 'Number of searchable records.' }),
  last_indexed_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  lag_seconds: Type.Number({ description: 'Waiting time of the oldest task to be indexed.' }),
  rebuilding: Type.Boolean(),
});

export const STATE = {
  documents: 1250,
  last_indexed_at: '2026-01-01T00:00:00.000Z',
  lag_seconds: 0,
  rebuilding: false,
};
