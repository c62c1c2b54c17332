import type { Field } from '../../extraction.ts';
import type { ColumnSpec } from '../../schema/schema.ts';
import type { FormToken } from './form-document.ts';

export interface TableCell {
  readonly spec: ColumnSpec;
  readonly value: Exclude<Field['value'], null>;
  readonly tokens: readonly FormToken[];
}

export type ReadRow = readonly TableCell[];
