import type { Field, Value, Warning } from './extraction.ts';
import { schemaPattern } from './schema/pattern.ts';
import type { Check, Schema } from './schema/schema.ts';

type Fields = Readonly<Record<string, Field>>;
export type SumCheck = Extract<Check, { sum: unknown }>;

interface Operand {
  readonly value: number;
  readonly keys: readonly string[];
}

/** Sums of numbers with two decimals closer than this are equal. */
export const ROUNDING = 0.006;

/** Raises the confidence of fields whose sum is equal; lowers it, with a warning, if a check fails, beyond the tolerance of a sum. */
export function applyCrossChecks(fields: Fields, schema: Schema) {
  const adjusted: Record<string, Field> = { ...fields };
  const warnings: Warning[] = [];
  for (const check of schema.checks ?? []) {
    const result = evaluate(check, fields);
    if (!result) continue;
    for (const key of result.agrees && !result.isEvidence ? [] : result.keys)
      adjusted[key] = adjustConfidence(adjusted[key]!, result.agrees);
    if (!result.agrees) warnings.push({ code: result.code, message: result.message, fields: result.keys });
  }
  return { fields: adjusted, warnings };
}

function evaluate(check: Check, fields: Fields) {
  if ('sum' in check) {
    const parts = partsOf(check, fields);
    const whole = resolveOperand(check.equals, fields);
    if (!whole || !parts) return undefined;
    const terms = parts.map((part) => part.value.toFixed(2)).join(' + ');
    const difference = Math.min(...sumsOf(check, fields).map((sum) => Math.abs(sum - whole.value)));
    return {
      agrees: difference <= check.tolerance,
      isEvidence: difference < ROUNDING,
      keys: [...parts.flatMap((part) => part.keys), ...whole.keys],
      code: 'SUM_MISMATCH',
      message: `The sum of ${check.sum.join(' + ')} (${terms}) differs from ${check.equals} (${whole.value}).`,
    };
  }
  const operands = check.rising.map((operand) => resolveOperand(operand, fields));
  if (operands.some((operand) => !operand)) return undefined;
  const agrees = operands.every((operand, i) => i === 0 || operands[i - 1]!.value <= operand!.value);
  return {
    agrees,
    // Wrong numbers often rise, too.
    isEvidence: false,
    keys: operands.flatMap((operand) => operand!.keys),
    code: 'ORDER_MISMATCH',
    message: `Expected ${check.rising.join(' ≤ ')}.`,
  };
}

function partsOf(check: SumCheck, fields: Fields): Operand[] | undefined {
  const parts = check.sum.flatMap((operand) => resolveOperand(operand, fields) ?? []);
  return parts.length === check.sum.length ? parts : undefined;
}

/** The sum that a check expects, and the one without the rows that a total may exclude; none if a part is missing. */
export function sumsOf(check: SumCheck, fields: Fields): number[] {
  const parts = partsOf(check, fields);
  const sum = parts?.reduce((all, part) => all + part.value, 0);
  return sum === undefined ? [] : [sum, sum - excludableSum(check, fields)];
}

/** The sum of the rows that a total may exclude. */
function excludableSum(check: SumCheck, fields: Fields): number {
  if (!check.apart) return 0;
  const pattern = schemaPattern(check.apart.pattern, 'iu');
  const [section, column] = check.apart.column.split(':');
  let sum = 0;
  for (const [key, { value }] of Object.entries(fields)) {
    const [, of, row, at] = /^([^:]*):(\d+(?:\.\d+)?)\.([a-z].*)$/u.exec(key) ?? [];
    if (of !== section || at !== column || !pattern.test(String(value))) continue;
    for (const operand of check.sum) sum += toNumber(fields[operand.replace(':', `:${row}.`)]?.value ?? null) ?? 0;
  }
  return sum;
}

/** A table column evaluates to its sum, a date to its year. */
function resolveOperand(operand: string, fields: Fields): Operand | undefined {
  const single = fields[operand];
  if (single) {
    const value = toNumber(single.value);
    return value === undefined ? undefined : { value, keys: [operand] };
  }
  const [section, column] = operand.split(':');
  const keys = Object.keys(fields).filter((key) => key.startsWith(`${section}:`) && key.endsWith(`.${column}`));
  const values = keys.map((key) => toNumber(fields[key]!.value));
  if (keys.length === 0 || values.some((value) => value === undefined)) return undefined;
  return { value: values.reduce<number>((sum, value) => sum + value!, 0), keys };
}

function toNumber(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/u.test(value) ? Number(value.slice(0, 4)) : undefined;
}

// Agreement is rarely accidental; a contradiction does not show which value is wrong.
const DOUBT_IF_CONSISTENT = 0.35;
const CONFIDENCE_IF_INCONSISTENT = 0.7;

function adjustConfidence(field: Field, agrees: boolean): Field {
  if (field.confidence === null) return field;
  const confidence = agrees
    ? 1 - DOUBT_IF_CONSISTENT * (1 - field.confidence)
    : CONFIDENCE_IF_INCONSISTENT * field.confidence;
  return { ...field, confidence: Math.round(100 * confidence) / 100 };
}
