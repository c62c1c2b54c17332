import type { Value } from '../../extraction.ts';
import type { ColumnSpec } from '../../schema/schema.ts';
import type { Token } from './sheet.ts';

/** A cell of a row that was read. */
export interface ReadCell {
  readonly spec: ColumnSpec;
  readonly value: Exclude<Value, null>;
  readonly tokens: readonly Token[];
  readonly score: number;
}
