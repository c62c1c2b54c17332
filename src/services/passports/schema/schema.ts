import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { OperatorError } from '../../../base/operator-error.ts';
import { schemaPattern } from './pattern.ts';

const KEY = '^[a-z][a-z0-9_]{0,63}$';
const Key = Type.String({ pattern: KEY });
const closed = { additionalProperties: false };
const Wording = Type.Union([
  Type.String({ minLength: 1 }),
  Type.Object({ en: Type.String({ minLength: 1 }), ru: Type.String({ minLength: 1 }) }, closed),
]);
const Phrases = Type.Array(Type.String({ minLength: 1 }));

const value = {
  type: Type.Enum(['string', 'number', 'integer', 'date', 'boolean', 'enum']),
  /** `m2`, `m`, `rub` and `percent` are converted from other units; any other unit is only displayed. */
  unit: Type.Optional(Type.String()),
  /** Values of type `enum`; `synonyms` are other spellings on pages. */
  enum: Type.Optional(
    Type.Array(
      Type.Union([
        Type.String({ minLength: 1 }),
        Type.Object({ value: Type.String({ minLength: 1 }), label: Wording, synonyms: Type.Optional(Phrases) }, closed),
      ]),
      { minItems: 1 },
    ),
  ),
  /** Applies to extracted and typed values. */
  pattern: Type.Optional(Type.String()),
  /** A string that is a number with optional letters, such as `8а` or `G.1`; only this part of a text is read. */
  numbering: Type.Optional(Type.Boolean()),
  minimum: Type.Optional(Type.Number()),
  maximum: Type.Optional(Type.Number()),
  /** Maximum number of decimals: with 2, the comma in `1,234` separates thousands. */
  decimals: Type.Optional(Type.Integer({ minimum: 0, maximum: 6 })),
};

/** Labels on pages, clearest first. Matching ignores case, word order, endings and a few OCR errors. */
const synonyms = Type.Optional(Phrases);

const Part = Type.Object(
  {
    synonyms: Phrases,
    /** Template; `{}` is the text from the page. */
    write: Type.String({ pattern: '\\{\\}' }),
    /** Values that match skip the template: no `ул. ул. Южная`. */
    unless: Type.Optional(Type.String()),
  },
  closed,
);

const FieldSpec = Type.Object(
  {
    key: Key,
    label: Wording,
    synonyms,
    ...value,
    /** Patterns of usual values; other values get a lower confidence. */
    shapes: Type.Optional(Phrases),
    /** Patterns that identify a value without a label. */
    marks: Type.Optional(Phrases),
    /** For forms that split the value: parts, joined by commas. */
    parts: Type.Optional(Type.Array(Part)),
  },
  closed,
);

const Column = Type.Object({ key: Key, label: Wording, synonyms, ...value }, closed);

const TableSpec = Type.Object(
  {
    columns: Type.Array(Column, { minItems: 1 }),
    /** First words of rows with totals. */
    totals: Type.Optional(Phrases),
  },
  closed,
);

const Section = Type.Object(
  {
    key: Key,
    title: Wording,
    fields: Type.Optional(Type.Array(FieldSpec)),
    table: Type.Optional(TableSpec),
  },
  closed,
);

/** `section:column` is the sum of a table column. */
const Operand = Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}:[a-z][a-z0-9_]{0,63}$' });
const Check = Type.Union([
  /** Rows whose `apart.column` matches `apart.pattern` may be excluded (balconies, which total areas exclude). */
  Type.Object(
    {
      sum: Type.Array(Operand, { minItems: 1 }),
      equals: Operand,
      tolerance: Type.Number(),
      apart: Type.Optional(Type.Object({ column: Operand, pattern: Type.String({ minLength: 1 }) }, closed)),
    },
    closed,
  ),
  /** Each operand is at most the next one; a year and a date are compared by year. */
  Type.Object({ rising: Type.Array(Operand, { minItems: 2 }) }, closed),
]);

const SchemaFile = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 64 }),
    version: Type.String({ minLength: 1, maxLength: 64 }),
    /** Title of the PDF report; "Document" if absent. */
    title: Type.Optional(Wording),
    sections: Type.Array(Section, { minItems: 1 }),
    checks: Type.Optional(Type.Array(Check)),
    /** Labels of values that are not fields. */
    others: Type.Optional(Phrases),
    /** Headings, which end the section above. */
    headings: Type.Optional(Phrases),
  },
  closed,
);

/** From `PASSPORTS_SCHEMA_FILE` or the default schema. */
export type Schema = Static<typeof SchemaFile>;
export type Section = Static<typeof Section>;
export type FieldSpec = Static<typeof FieldSpec>;
export type ColumnSpec = Static<typeof Column>;
export type TableSpec = Static<typeof TableSpec>;
export type PartSpec = Static<typeof Part>;
export type Check = Static<typeof Check>;
export type Wording = Static<typeof Wording>;
export type ValueSpec = Pick<FieldSpec, keyof typeof value>;

/** Throws an {@link OperatorError} with the position of the error. */
export function checkSchema(data: unknown, name: string): Schema {
  if (!Value.Check(SchemaFile, data)) {
    const errors = Value.Errors(SchemaFile, data);
    // The deepest error is the specific one; its ancestors only repeat it.
    const [first] = [...errors].sort((a, b) => b.instancePath.length - a.instancePath.length);
    throw schemaError(name, first?.instancePath ?? '', first === undefined ? 'is not a schema' : describeError(first));
  }
  for (const problem of findErrors(data)) throw schemaError(name, problem.at, problem.why);
  return data;
}

export function inLanguage(wording: Wording, language: 'en' | 'ru'): string {
  return typeof wording === 'string' ? wording : wording[language];
}

function describeError({ keyword, params, message }: ReturnType<typeof Value.Errors>[number]): string {
  // Of `additionalProperties`.
  if (keyword === 'boolean') return 'is not a key of the schema';
  if (keyword === 'enum') return `must be one of ${params.allowedValues.map((each) => `"${each}"`).join(', ')}`;
  return message;
}

function schemaError(name: string, at: string, why: string): OperatorError {
  return new OperatorError(`${name}: ${at || 'the document'} ${why}.`);
}

interface SchemaProblem {
  readonly at: string;
  readonly why: string;
}

function* findErrors(schema: Schema): Generator<SchemaProblem> {
  const operands = new Set<string>();
  const sections = new Set<string>();
  for (const [i, section] of schema.sections.entries()) {
    const at = `/sections/${i}`;
    if (sections.has(section.key)) yield { at: `${at}/key`, why: `repeats "${section.key}"` };
    sections.add(section.key);
    if (!section.fields?.length && !section.table) yield { at, why: 'needs fields or a table' };
    for (const [list, specs] of [
      ['fields', section.fields ?? []],
      ['table/columns', section.table?.columns ?? []],
    ] as const) {
      for (const [j, spec] of specs.entries()) {
        const here = `${at}/${list}/${j}`;
        const operand = `${section.key}:${spec.key}`;
        if (operands.has(operand)) yield { at: `${here}/key`, why: `repeats "${spec.key}"` };
        operands.add(operand);
        yield* findSpecErrors(spec, here);
      }
    }
  }
  for (const [i, check] of (schema.checks ?? []).entries()) {
    for (const operand of 'sum' in check ? [...check.sum, check.equals] : check.rising) {
      if (!operands.has(operand))
        yield { at: `/checks/${i}`, why: `names "${operand}", which is neither a field nor a column` };
    }
  }
}

function* findSpecErrors(spec: FieldSpec | ColumnSpec, at: string): Generator<SchemaProblem> {
  if ((spec.type === 'enum') !== (spec.enum !== undefined)) {
    yield { at, why: 'must have "enum" if and only if its type is "enum"' };
  }
  const field: Partial<FieldSpec> = spec;
  const unless = (field.parts ?? []).map((part) => part.unless ?? []);
  for (const source of [spec.pattern ?? [], field.shapes ?? [], field.marks ?? [], ...unless].flat()) {
    try {
      schemaPattern(source, 'u');
    } catch {
      yield { at, why: `has "${source}", which is not a regular expression` };
    }
  }
}
