import type { Field, Value, Warning } from '../../extraction.ts';
import { schemaPattern } from '../../schema/pattern.ts';
import type { Check, Schema } from '../../schema/schema.ts';

/**
 * What the schema's cross-checks say about the fields: those that agree are surer than before, those that contradict
 * each other less sure, and a warning names them. A check with an operand that was not read says nothing.
 */
export function checked(
  fields: Readonly<Record<string, Field>>,
  schema: Schema,
): { fields: Record<string, Field>; warnings: Warning[] } {
  const after: Record<string, Field> = { ...fields };
  const warnings: Warning[] = [];
  for (const check of schema.checks ?? []) {
    const verdict = judged(check, fields);
    if (!verdict) continue;
    for (const key of verdict.keys) after[key] = doubted(after[key]!, verdict.agrees);
    if (!verdict.agrees) warnings.push({ code: verdict.code, message: verdict.message, fields: verdict.keys });
  }
  return { fields: after, warnings };
}

interface Verdict {
  readonly agrees: boolean;
  readonly keys: string[];
  readonly code: 'SUM_MISMATCH' | 'ORDER_MISMATCH';
  readonly message: string;
}

function judged(check: Check, fields: Readonly<Record<string, Field>>): Verdict | undefined {
  if ('sum' in check) {
    const parts = check.sum.map((operand) => operandOf(operand, fields));
    const whole = operandOf(check.equals, fields);
    if (!whole || parts.some((part) => !part)) return undefined;
    const sum = parts.reduce((all, part) => all + part!.value, 0);
    const said = parts.map((part) => part!.value.toFixed(2)).join(' + ');
    return {
      agrees: [sum, sum - apart(check, fields)].some((one) => Math.abs(one - whole.value) <= check.tolerance),
      keys: [...parts.flatMap((part) => part!.keys), ...whole.keys],
      code: 'SUM_MISMATCH',
      message: `${check.sum.join(' + ')} make ${said}, but ${check.equals} is ${whole.value}.`,
    };
  }
  const operands = check.rising.map((operand) => operandOf(operand, fields));
  if (operands.some((operand) => !operand)) return undefined;
  const agrees = operands.every((operand, i) => i === 0 || operands[i - 1]!.value <= operand!.value);
  return {
    agrees,
    keys: operands.flatMap((operand) => operand!.keys),
    code: 'ORDER_MISMATCH',
    message: `${check.rising.join(' ≤ ')} does not hold.`,
  };
}

/** The sum of what may be left out of the whole: the cells of rows that the check's pattern names. */
function apart(check: Extract<Check, { sum: unknown }>, fields: Readonly<Record<string, Field>>): number {
  if (!check.apart) return 0;
  const pattern = schemaPattern(check.apart.pattern, 'iu');
  const [section, column] = check.apart.column.split(':');
  let sum = 0;
  for (const [key, { value }] of Object.entries(fields)) {
    const [, of, row, at] = /^([^:]*):(\d+)\.(.*)$/u.exec(key) ?? [];
    if (of !== section || at !== column || !pattern.test(String(value))) continue;
    for (const operand of check.sum) sum += numeric(fields[operand.replace(':', `:${row}.`)]?.value ?? null) ?? 0;
  }
  return sum;
}

/** The number that a field is, or that a column of a table sums up to; a date counts by its year. */
function operandOf(
  operand: string,
  fields: Readonly<Record<string, Field>>,
): { value: number; keys: string[] } | undefined {
  const single = fields[operand];
  if (single) {
    const value = numeric(single.value);
    return value === undefined ? undefined : { value, keys: [operand] };
  }
  const [section, column] = operand.split(':');
  const keys = Object.keys(fields).filter((key) => key.startsWith(`${section}:`) && key.endsWith(`.${column}`));
  const values = keys.map((key) => numeric(fields[key]!.value));
  if (keys.length === 0 || values.some((value) => value === undefined)) return undefined;
  return { value: values.reduce<number>((sum, value) => sum + value!, 0), keys };
}

function numeric(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/u.test(value) ? Number(value.slice(0, 4)) : undefined;
}

// Numbers seldom agree by chance; where they do not, one of several is wrong and nobody knows which.
const CONFIRMED = 0.35;
const CONTRADICTED = 0.7;

function doubted(field: Field, agrees: boolean): Field {
  if (field.confidence === null) return field;
  const confidence = agrees ? 1 - CONFIRMED * (1 - field.confidence) : CONTRADICTED * field.confidence;
  return { ...field, confidence: Math.round(100 * confidence) / 100 };
}
