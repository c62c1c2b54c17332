import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Extraction } from '../extraction.ts';
import { resolveKey } from '../schema/keys.ts';
import type { Schema } from '../schema/schema.ts';

const Share = Type.Number({ minimum: 0, maximum: 1 });
const OrNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

const Field = Type.Object({
  value: Type.Union([Type.String({ maxLength: 10_000 }), Type.Number(), Type.Boolean(), Type.Null()]),
  confidence: OrNull(Share),
  source: Type.Union([Type.Literal('text'), Type.Literal('ocr'), Type.Literal('model')]),
  page: OrNull(Type.Integer({ minimum: 1 })),
  bbox: OrNull(Type.Tuple([Share, Share, Share, Share])),
  text: OrNull(Type.String()),
  disagrees: Type.Optional(Type.Literal(true)),
});

const Result = Compile(
  Type.Object({
    schema: Type.Object({ id: Type.String(), version: Type.String() }),
    fields: Type.Record(Type.String(), Field),
    pages: Type.Integer({ minimum: 1 }),
    sheets: Type.Array(
      Type.Object({
        reader: Type.String({ minLength: 1 }),
        width: Type.Number({ minimum: 0 }),
        height: Type.Number({ minimum: 0 }),
        turn: Type.Union([Type.Literal(0), Type.Literal(90), Type.Literal(180), Type.Literal(270)]),
        picture: OrNull(Type.String()),
      }),
    ),
    engine: Type.Object({
      llm_provider: Type.String(),
      model: OrNull(Type.String()),
      version: Type.String(),
      template: Type.Optional(Type.Object({ id: Type.String(), score: Share })),
    }),
    warnings: Type.Array(
      Type.Object({
        code: Type.String({ minLength: 1 }),
        message: Type.String(),
        fields: Type.Optional(Type.Array(Type.String())),
      }),
    ),
  }),
);

/** Returns a description of the first problem, for the log. */
export function validateExtraction(extraction: Extraction, schema: Schema): string | undefined {
  if (!Result.Check(extraction)) {
    const [first] = Result.Errors(extraction);
    return `${first?.instancePath ?? ''} ${first?.message ?? 'is not valid'}`;
  }
  if (extraction.sheets.length !== extraction.pages) return 'the number of sheets differs from the number of pages';
  for (const [key, { page, bbox }] of Object.entries(extraction.fields)) {
    if (!resolveKey(schema, key)) return `${key} is not in the schema`;
    if (page !== null && page > extraction.pages) return `${key} is on page ${page} of ${extraction.pages}`;
    if (bbox && (bbox[0] > bbox[2] || bbox[1] > bbox[3])) return `${key} has a box with negative width or height`;
  }
  return undefined;
}
