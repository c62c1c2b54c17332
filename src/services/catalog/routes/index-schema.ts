import { Type } from 'typebox';

/** TypeBox once: these describe what `POST /index` takes and answers. */

/** What a program sends; each record is looked at by itself, so that a wrong one does not keep the others out. */
export const Shown = Type.Object({
  records: Type.Array(
    Type.Object({
      record_id: Type.String({ minLength: 1, maxLength: 200, description: 'Yours; a record of this id is replaced.' }),
      title: Type.Optional(Type.String({ maxLength: 500, description: 'Without it, the id is the title.' })),
      text: Type.Optional(Type.String({ maxLength: 100_000 })),
      image_url: Type.Optional(
        Type.String({
          maxLength: 2048,
          description:
            'https address on a public host, or of a file of our own (`url` of `POST /files`); a picture is kept.',
        }),
      ),
      attributes: Type.Optional(
        Type.Object({}, { additionalProperties: true, description: 'At most 16 KiB; their values are searched too.' }),
      ),
      created_at: Type.Optional(
        Type.String({ description: '2026-05-31 or 2026-05-31T12:00:00Z (RFC 3339). Without it: now.' }),
      ),
    }),
    { maxItems: 1000 },
  ),
});

/** What every body has come to when it is validated. */
export const Records = Type.Object({ records: Type.Array(Type.Unknown()) });

export const Indexed = Type.Object({
  indexed: Type.Integer({ description: 'Records that can be found from now on.' }),
  failed: Type.Array(
    Type.Object({
      row: Type.Integer({ description: 'Its place among the records, from 1; a header is not counted.' }),
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
    { description: 'Records that were not taken, and why.' },
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
  documents: Type.Integer({ description: 'Records that can be found.' }),
  last_indexed_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  lag_seconds: Type.Number({ description: 'How long what waits to be indexed has waited.' }),
  rebuilding: Type.Boolean(),
});

export const STATE = {
  documents: 1250,
  last_indexed_at: '2026-01-01T00:00:00.000Z',
  lag_seconds: 0,
  rebuilding: false,
};
