import { ROUNDING, sumsOf } from '../../cross-checks.ts';
import type { Field } from '../../extraction.ts';
import type { ReadPage } from '../../page-geometry.ts';
import { everyField } from '../../schema/keys.ts';
import { findNumber } from '../../schema/numbers.ts';
import type { Schema } from '../../schema/schema.ts';
import { createField } from '../fields/create-field.ts';
import { type Token, valueTokens } from '../fields/page-tokens.ts';

type Fields = Readonly<Record<string, Field>>;

/** A doubtful total gives way to the sum of its parts if that is printed. */
const MAX_DOUBTFUL = 0.7;
/** Before the cross-checks, which raise it. A form may mean another area by its column than the field. */
const CONFIDENCE = { doubtful: 0.8, missing: 0.5 };
const MIN_PARTS = 2;

/**
 * Chooses missing and doubtful totals together: a total that differs from the sum of its parts, by the sums of the schema's
 * checks, becomes the number outside the table that equals the sum, if one is printed. A sure total is replaced if the two
 * differ in one figure, which OCR misread, and no other field has that number. If none is printed, two sums that agree replace it.
 */
export function agreeTotals(fields: Fields, pages: readonly ReadPage[], schema: Schema): Record<string, Field> {
  const agreed: Record<string, Field> = { ...fields };
  const keys = new Set([...everyField(schema)].map(({ key }) => key));
  const checks = (schema.checks ?? []).filter((check) => 'sum' in check);
  const isUsed = (number: number) => Object.values(agreed).some(({ value }) => value === number);
  const isDoubtful = (key: string, replacement?: number) => {
    const { value, source, confidence = 0, disagrees = false } = agreed[key] ?? {};
    if (
      source === 'ocr' &&
      replacement !== undefined &&
      isMisreading(Number(value), replacement) &&
      !isUsed(replacement)
    )
      return true;
    return disagrees || (confidence ?? 0) < MAX_DOUBTFUL;
  };
  let numbers: PrintedNumber[] | undefined;
  for (const check of checks) {
    const key = check.equals;
    const sums = sumsOf(check, agreed);
    const own = agreed[key];
    const isRight = own && sums.some((sum) => Math.abs(Number(own.value) - sum) <= check.tolerance);
    if (!keys.has(key) || isRight || sums.length === 0 || countParts(check.sum, agreed) < MIN_PARTS) continue;
    numbers ??= printedNumbers(pages);
    const found = numbers.find(({ value }) => sums.some((sum) => Math.abs(value - sum) < ROUNDING));
    if (!found) {
      const others = checks.filter((other) => other !== check && other.equals === key);
      const otherSums = others.flatMap((other) => sumsOf(other, agreed));
      const agreeing = sums.find((sum) => otherSums.some((otherSum) => Math.abs(sum - otherSum) < ROUNDING));
      if (own?.source === 'ocr' && agreeing !== undefined && isMisreading(Number(own.value), agreeing))
        // Not printed: a person decides.
        agreed[key] = {
          ...own,
          value: Math.round(100 * agreeing) / 100,
          confidence: CONFIDENCE.doubtful,
          disagrees: true,
        };
      continue;
    }
    const field = createField(found.tokens, found.value, own ? CONFIDENCE.doubtful : CONFIDENCE.missing);
    if (isDoubtful(key, found.value)) agreed[key] = field;
    else {
      // A sure number, but of the whole, which was read as one of its parts.
      const whole = checks.find(
        (other) =>
          other.sum.includes(key) &&
          isDoubtful(other.equals) &&
          sumsOf(other, { ...agreed, [key]: field }).some((sum) => Math.abs(Number(own!.value) - sum) < ROUNDING),
      );
      if (whole) Object.assign(agreed, { [key]: field, [whole.equals]: own });
    }
  }
  return agreed;
}

/** Chooses again after the template of a form, but no totals that it changed or removed, as a person did on this form. */
export function agreeUncorrected(
  before: Fields,
  after: Fields,
  pages: readonly ReadPage[],
  schema: Schema,
): Record<string, Field> {
  const agreed = agreeTotals(after, pages, schema);
  return Object.fromEntries(
    Object.entries(after).map(([key, field]) => [key, field.value === before[key]?.value ? agreed[key]! : field]),
  );
}

/** Whether one figure of a number differs, as OCR confuses them: 191.4 and 101.4. */
function isMisreading(read: number, right: number): boolean {
  const [figures, others] = [read.toFixed(2), right.toFixed(2)];
  return figures.length === others.length && [...figures].filter((figure, i) => figure !== others[i]).length === 1;
}

/** The fields and cells of a sum. */
const countParts = (operands: readonly string[], fields: Fields): number =>
  Object.keys(fields).filter((key) => operands.includes(key.replace(/:\d+\./u, ':'))).length;

interface PrintedNumber {
  readonly value: number;
  readonly tokens: readonly Token[];
}

/** The numbers with decimals. */
const printedNumbers = (pages: readonly ReadPage[]): PrintedNumber[] =>
  valueTokens(pages).flatMap(({ tokens: all }) =>
    all.flatMap((token, i): PrintedNumber[] => {
      if (!/\d[.,]\d/u.test(token.text)) return [];
      const before = all[i - 1];
      const isThousands =
        before &&
        /^\d{1,3}$/u.test(before.text) &&
        /^\d{3}\D/u.test(token.text) &&
        token.x0 - before.x1 < token.y1 - token.y0;
      return [isThousands ? [before, token] : [], [token]].flatMap((tokens) => {
        const found = tokens.length > 0 && findNumber(tokens.map(({ text }) => text).join(' '), 2);
        return found ? [{ value: found.value, tokens }] : [];
      });
    }),
  );
