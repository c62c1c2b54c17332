import type { Field } from '../../extraction.ts';
import type { FieldSpec } from '../../schema/schema.ts';
import { findProblem, readValue } from '../../schema/values.ts';
import type { FormToken } from './form-document.ts';
import type { LessonField } from './lesson.ts';
import { parsePlace } from './parse-place.ts';
import { isInSentence, readBetween } from './read-between.ts';
import { readPlace } from './read-place.ts';
import type { PlaceContext } from './text-run.ts';

export interface ReadField {
  readonly value: Exclude<Field['value'], null>;
  readonly tokens: readonly FormToken[];
  readonly cost: number;
}

/** Reads a field at the places of a lesson; undefined if they have no such value. */
export function readFieldAt(field: LessonField, spec: FieldSpec, context: PlaceContext): ReadField | undefined {
  const { document } = context;
  const { parts, literals, factor } = field;
  const taken = new Set(context.taken);
  const read = parts.map((part) => {
    const own = { ...context, taken };
    const isBetween = context.match.inText || (field.inText === 'all' && isInSentence(part, context.lesson));
    const between = isBetween ? readBetween(part, field.inText, own) : undefined;
    const place = context.match.inText ? between : (between ?? readPlace(part, spec, own));
    const parsed = place && parsePlace(place.tokens, spec, { part, factor, document });
    for (const token of parsed?.tokens ?? []) taken.add(token);
    return parsed && { ...parsed, cost: place.cost };
  });
  const found = read.filter((one) => one !== undefined);
  if (found.length === 0 || !read[0]) return undefined;
  const cost = Math.max(...found.map((one) => one.cost));
  const tokens = found.flatMap((one) => [...one.tokens]);
  if (parts.length === 1) return { value: found[0]!.value, tokens, cost };
  let text = literals[0] ?? '';
  for (const [i, one] of read.entries()) {
    if (one) text += (i > 0 ? literals[i]! : '') + String(one.value).replace(/(?<![\s,;])[\s,;]+$/u, '');
  }
  text += literals.at(-1) ?? '';
  if (spec.type === 'string') return findProblem(spec, text) === undefined ? { value: text, tokens, cost } : undefined;
  const value = readValue(spec, text);
  return value && { value: value.value, tokens, cost };
}
