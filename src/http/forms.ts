import formbody from '@fastify/formbody';
import type { FastifyInstance } from 'fastify';
import { InvalidInput } from './details.ts';

/** The fields of a form, in their order; of a name that came twice the last one counts. */
export type Form = ReadonlyMap<string, string>;

const FORM_LIMITS = { keys: 500, valueLength: 10_000 };
/** Of a name that comes again and again a few are read over; a text of a million pairs is not even taken apart. */
const MOST_PAIRS = 4 * FORM_LIMITS.keys;

/**
 * Makes the routes of this scope take `application/x-www-form-urlencoded` bodies, and no others, as a {@link Form}. Call
 * it in a scope of its own.
 */
export async function acceptForms(scope: FastifyInstance): Promise<void> {
  scope.removeAllContentTypeParsers();
  await scope.register(formbody, { parser: parseForm as unknown as (text: string) => Record<string, unknown> });
}

/** The form that `text` is; more than 500 names, or a value of more than 10 000 characters, is {@link InvalidInput}. */
export function parseForm(text: string): Form {
  const taken = text.split('&', MOST_PAIRS + 1).length <= MOST_PAIRS;
  const form = new Map(taken ? new URLSearchParams(text) : []);
  if (!taken || form.size > FORM_LIMITS.keys) {
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
