import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { OperatorError } from '../../../base/operator-error.ts';
import { schemaPattern } from './pattern.ts';

const KEY = '^[a-z][a-z0-9_]{0,63}$';
const Key = Type.String({ pattern: KEY });
const closed = { additionalProperties: false };
/** What people read: one text for all, or one for each language of the pages. */
const Wording = Type.Union([
  Type.String({ minLength: 1 }),
  Type.Object({ en: Type.String({ minLength: 1 }), ru: Type.String({ minLength: 1 }) }, closed),
]);
const Phrases = Type.Array(Type.String({ minLength: 1 }));

const value = {
  type: Type.Union([
    Type.Literal('string'),
    Type.Literal('number'),
    Type.Literal('integer'),
    Type.Literal('date'),
    Type.Literal('boolean'),
    Type.Literal('enum'),
  ]),
  /** `m2`, `m`, `rub` and `percent` are known, and what a page writes in hectares, centimetres or thousands is converted; any other is shown only. */
  unit: Type.Optional(Type.String()),
  /** What a value of type `enum` may be; `synonyms` are other ways in which a page writes it. */
  enum: Type.Optional(
    Type.Array(
      Type.Union([
        Type.String({ minLength: 1 }),
        Type.Object({ value: Type.String({ minLength: 1 }), label: Wording, synonyms: Type.Optional(Phrases) }, closed),
      ]),
      { minItems: 1 },
    ),
  ),
  /** A regular expression that every value matches; nothing else can be typed. */
  pattern: Type.Optional(Type.String()),
  minimum: Type.Optional(Type.Number()),
  maximum: Type.Optional(Type.Number()),
  /** The most decimals a page writes: where it writes `1,234` and 2 are the most, the comma parts thousands. */
  decimals: Type.Optional(Type.Integer({ minimum: 0, maximum: 6 })),
};

/** Labels a page may use, the clearest first. Case, word order and endings do not matter, nor do a few misread letters. */
const synonyms = Type.Optional(Phrases);

const Part = Type.Object(
  {
    synonyms: Phrases,
    /** How the part is written in the whole; `{}` is what the page says. */
    write: Type.String({ pattern: '\\{\\}' }),
    /** A regular expression for values that need no such writing: `ул. Южная` becomes no `ул. ул. Южная`. */
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
    /** Regular expressions for how values usually look; others are read too, with less confidence. */
    shapes: Type.Optional(Phrases),
    /** Regular expressions by which a value is known even where no label stands beside it. */
    marks: Type.Optional(Phrases),
    /** Where forms ask for the value piece by piece: the pieces, in the order in which they are joined by commas. */
    parts: Type.Optional(Type.Array(Part)),
  },
  closed,
);

const Column = Type.Object({ key: Key, label: Wording, synonyms, ...value }, closed);

const TableSpec = Type.Object(
  {
    columns: Type.Array(Column, { minItems: 1 }),
    /** How rows begin that sum up others: they are no rows. */
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

/** An operand is `section:field`, or `section:column` for the sum of a table's column. */
const Operand = Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}:[a-z][a-z0-9_]{0,63}$' });
const Check = Type.Union([
  /**
   * The operands of `sum` together are `equals`, give or take `tolerance`; rows of a table whose `apart.column` matches
   * `apart.pattern` may be left out (balconies, which total areas leave out).
   */
  Type.Object(
    {
      sum: Type.Array(Operand, { minItems: 1 }),
      equals: Operand,
      tolerance: Type.Number(),
      apart: Type.Optional(Type.Object({ column: Operand, pattern: Type.String({ minLength: 1 }) }, closed)),
    },
    closed,
  ),
  /** Each operand is at most the next one; a year and a date compare by the year. */
  Type.Object({ rising: Type.Array(Operand, { minItems: 2 }) }, closed),
]);

const SchemaFile = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 64 }),
    version: Type.String({ minLength: 1, maxLength: 64 }),
    sections: Type.Array(Section, { minItems: 1 }),
    checks: Type.Optional(Type.Array(Check)),
    /** Labels of things that are no field: they keep their values from being taken for a neighbour's. */
    others: Type.Optional(Phrases),
    /** Headings, which end whatever stands above them. */
    headings: Type.Optional(Phrases),
  },
  closed,
);

/** What is extracted from a document: sections of fields and tables, as `PASSPORTS_SCHEMA_FILE` or the default says. */
export type Schema = Static<typeof SchemaFile>;
export type Section = Static<typeof Section>;
export type FieldSpec = Static<typeof FieldSpec>;
export type ColumnSpec = Static<typeof Column>;
export type TableSpec = Static<typeof TableSpec>;
export type PartSpec = Static<typeof Part>;
export type Check = Static<typeof Check>;
export type Wording = Static<typeof Wording>;
/** What fields and columns have in common: all that it takes to read or to type a value. */
export type ValueSpec = Pick<FieldSpec, keyof typeof value>;

/** The schema that `data` is; throws an {@link OperatorError} that says where and what is wrong with it. */
export function checkSchema(data: unknown, name: string): Schema {
  if (!Value.Check(SchemaFile, data)) {
    const errors = Value.Errors(SchemaFile, data);
    // The deepest error is the one a person can mend; those above it only repeat that something below is wrong.
    const [first] = [...errors].sort((a, b) => b.instancePath.length - a.instancePath.length);
    throw wrong(name, first?.instancePath ?? '', first?.message ?? 'is no schema');
  }
  for (const fault of faults(data)) throw wrong(name, fault.at, fault.why);
  return data;
}

/** In the language of the reader. */
export function inLanguage(wording: Wording, language: 'en' | 'ru'): string {
  return typeof wording === 'string' ? wording : wording[language];
}

function wrong(name: string, at: string, why: string): OperatorError {
  return new OperatorError(`${name}: ${at || 'the whole of it'} ${why}.`);
}

interface SchemaFault {
  readonly at: string;
  readonly why: string;
}

function* faults(schema: Schema): Generator<SchemaFault> {
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
        yield* specFaults(spec, here);
      }
    }
  }
  for (const [i, check] of (schema.checks ?? []).entries()) {
    for (const operand of 'sum' in check ? [...check.sum, check.equals] : check.rising) {
      if (!operands.has(operand))
        yield { at: `/checks/${i}`, why: `names "${operand}", which is no field and no column` };
    }
  }
}

function* specFaults(spec: FieldSpec | ColumnSpec, at: string): Generator<SchemaFault> {
  if ((spec.type === 'enum') !== (spec.enum !== undefined)) {
    yield { at, why: 'has "enum" exactly when its type is "enum"' };
  }
  const field: Partial<FieldSpec> = spec;
  const unless = (field.parts ?? []).flatMap((part) => part.unless ?? []);
  for (const source of [
    ...((spec.pattern ?? '') ? [spec.pattern!] : []),
    ...(field.shapes ?? []),
    ...(field.marks ?? []),
    ...unless,
  ]) {
    try {
      schemaPattern(source, 'u');
    } catch {
      yield { at, why: `has "${source}", which is no regular expression` };
    }
  }
}
