import type { ReadPage } from '../../page-geometry.ts';
import { everyField } from '../../schema/keys.ts';
import type { Schema, TableSpec, ValueSpec } from '../../schema/schema.ts';
import { groupLines } from '../fields/blocks.ts';
import { OWNER, readCoOwners } from '../fields/co-owners.ts';
import { isOption, type MarkedForm, markedForm, markedOptions } from '../fields/marked-options.ts';
import { type Token, valueTokens } from '../fields/page-tokens.ts';
import type { ReadCell } from '../fields/table-repairs.ts';
import { CLASSES } from './classes.ts';
import { combineParts, type PageReading, type PartOutput } from './page-reading.ts';
import { readParts } from './read-parts.ts';
import { readRows } from './read-rooms.ts';
import { best, parseGroup, type ReadValue, readField, readingsOf } from './read-values.ts';
import { type Ends, endsOf } from './value-ends.ts';

export interface NetworkFields {
  /** By field. */
  readonly values: ReadonlyMap<string, ChosenValue>;
  /** By section. */
  readonly tables: ReadonlyMap<string, ReadCell[][]>;
}

export interface ChosenValue extends ReadValue {
  /** 0..1: the score of the best reading of another value; 0 without one. */
  readonly rival: number;
  readonly ends: Ends;
}

/** Whether the network was trained on the field or column. */
export const isKnown = (key: string): boolean => (CLASSES as readonly string[]).includes(key);

/** Whether the network was trained on columns of the table. */
export const isKnownTable = (section: string, { columns }: TableSpec): boolean =>
  columns.some(({ key }) => isKnown(`${section}:${key}`));

/** Reads the fields of `schema` that the network was trained on; `outputs` are the network's for the parts of each page. */
export function readWithNetwork(
  pages: readonly ReadPage[],
  schema: Schema,
  outputs: readonly (readonly PartOutput[])[],
  byLabels: Readonly<Record<string, { readonly value: unknown }>> = {},
): NetworkFields {
  const readings = valueTokens(pages).map((sheet, i) => combineParts(sheet, outputs[i]!));
  const forms = new Map(
    readings.flatMap(({ tokens: [first, ...others] }) =>
      first ? [[first.sheet, markedForm(groupLines([first, ...others]), first.sheet.horizontal)] as const] : [],
    ),
  );
  const values = new Map<string, ChosenValue>();
  for (const { key, spec } of everyField(schema)) {
    if (!isKnown(key)) continue;
    const found = [
      ...readings.flatMap((reading) => readingsOf(reading, key, spec)),
      ...readings.flatMap((reading) => (spec.parts && readParts(reading, spec)) ?? []),
    ];
    const top = best(found);
    // Of equally likely readings, the one beside a label of the schema.
    const labelled = found.find(({ value, score }) => value === byLabels[key]?.value && score > top!.score - MARGIN);
    const value = labelled ?? top;
    if (!value) continue;
    const rivals = found.filter((other) => other.value !== value.value);
    values.set(key, {
      ...(key === OWNER
        ? withCoOwners(value, spec)
        : withMarkedOptions(value, spec, forms.get(value.tokens[0]!.sheet))),
      rival: Math.max(0, ...rivals.map(({ score }) => score)),
      ends: endsIn(readings, value, key),
    });
  }
  const tables = new Map<string, ReadCell[][]>();
  for (const { key, table } of schema.sections) {
    if (table && isKnownTable(key, table)) tables.set(key, readRows(readings, key, table));
  }
  addTotals(values, readings, schema);
  return { values, tables };
}

const MARGIN = 0.01;

/** The options marked with a pen, instead of others of their list. */
function withMarkedOptions(value: ReadValue, spec: ValueSpec, form: MarkedForm<Token> | undefined): ReadValue {
  const tokens = form && isOption(spec) ? markedOptions(value.tokens, form) : undefined;
  return (tokens && parseGroup({ ...value, tokens }, spec)) ?? value;
}

const withCoOwners = (value: ReadValue, spec: ValueSpec): ReadValue => ({
  ...value,
  ...readCoOwners(value.tokens, value.tokens[0]!.sheet, (tokens) => parseGroup({ ...value, tokens }, spec)),
});

const endsIn = (readings: readonly PageReading[], { tokens }: ReadValue, name: string): Ends =>
  endsOf(tokens, readings.find((reading) => reading.tokens.includes(tokens[0]!))!, name);

/** Missing fields from the last row of a table. */
function addTotals(values: Map<string, ChosenValue>, readings: readonly PageReading[], schema: Schema): void {
  for (const { key, spec } of everyField(schema)) {
    const column = /^areas:(?:total_)?(\w*area)$/u.exec(key)?.[1];
    if (!column || values.has(key)) continue;
    const name = `total:${column}`;
    const total = best(readings.flatMap((reading) => readField(reading, name, spec) ?? []));
    if (total) values.set(key, { ...total, score: 0.9 * total.score, rival: 0, ends: endsIn(readings, total, name) });
  }
}
