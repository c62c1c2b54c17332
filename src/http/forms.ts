import formbody from '@fastify/formbody';
import type { FastifyInstance } from 'fastify';
import { InvalidInput } from './validation-details.ts';

/** Form fields in order; the last value of a repeated name counts. */
export type Form = ReadonlyMap<string, string>;

const FORM_LIMITS = { keys: 500, valueLength: 10_000 };
/** Bounds repeated names too; a longer text is not parsed. */
const MAX_PAIRS = 4 * FORM_LIMITS.keys;

/** Makes the routes of a dedicated scope accept only `application/x-www-form-urlencoded` bodies, parsed as {@link Form}. */
export async function acceptForms(scope: FastifyInstance): Promise<void> {
  scope.removeAllContentTypeParsers();
  await scope.register(formbody, { parser: parseForm as unknown as (text: string) => Record<string, unknown> });
}

/** Throws {@link InvalidInput} for more than 500 names or a value of more than 10 000 characters. */
export function parseForm(text: string): Form {
  const isParsed = text.split('&', MAX_PAIRS + 1).length <= MAX_PAIRS;
  const form = new Map(isParsed ? new URLSearchParams(text) : []);
  if (!isParsed || form.size > FORM_LIMITS.keys) {
    const [ctx, msg] = [{ max_length: FORM_LIMITS.keys }, `A form has at most ${FORM_LIMITS.keys} fields`];
    throw new InvalidInput([{ loc: ['body'], msg, type: 'too_long', ctx }]);
  }
  const tooLong = [...form].filter(([, value]) => value.length > FORM_LIMITS.valueLength);
  if (tooLong.length > 0) {
    const [ctx, msg] = [{ max_length: FORM_LIMITS.valueLength }, `At most ${FORM_LIMITS.valueLength} characters`];
    throw new InvalidInput(tooLong.map(([name]) => ({ loc: ['body', name], msg, type: 'string_too_long', ctx })));
  }
  return form;
}
