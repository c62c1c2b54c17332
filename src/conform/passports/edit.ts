import type { Check, RunContext } from '../check.ts';
import { assertThat, body, checks, clientError, expect, expecting, rejection, rows, status, that } from '../expect.ts';
import { oneOf } from '../shape.ts';
import { currentValue, decimalField, update } from './fields.ts';
import { assertStillSuccess, extracted, failed, UNKNOWN_ID } from './steps.ts';

const NUMBERS = ['4.3', 'Numbers with a decimal comma or decimal point are both accepted.'] as const;

/** Sets the decimal field of the processed document, or of the one with `id`. */
async function set(context: RunContext, value: string, { id, accept }: { id?: string; accept?: string } = {}) {
  const target = id ?? (await extracted(context));
  const { section, field } = await decimalField(context);
  return update(context, target, { [`${section}:${field}`]: value }, accept);
}

/** Sets the decimal field and expects its new value. */
const setAndRead = (text: string, expected: number | null, words: string) => async (context: RunContext) => {
  const [id, found] = [await extracted(context), await decimalField(context)];
  expect(await set(context, text), status(200));
  const { response, value } = await currentValue(context, id, found);
  assertThat(
    response,
    (value === null ? null : Number(value)) === expected,
    `${found.section}:${found.field} to be ${words}`,
  );
};

export const editChecks: readonly Check[] = checks('passports.update', [
  [
    'json',
    ['2.4', '`status` string (always `ok`), `id` string (UUID of updated task, required)'],
    'an update with Accept: application/json returns status ok and the id',
    async (context) => {
      const response = await set(context, '12.5');
      expect(response, status(200), body({ status: oneOf('ok'), id: oneOf(await extracted(context)) }));
    },
  ],
  [
    'redirect',
    ['4.3', "otherwise it is a 303 redirect to the task's view"],
    'an update without Accept: application/json returns 303 to the task view',
    async (context) => {
      const id = await extracted(context);
      const toTask = that(({ headers }) => (headers.get('location') ?? '').includes(id), 'a Location with the task id');
      expect(await set(context, '12.5', { accept: 'text/html' }), status(303), toTask);
    },
  ],
  // Different numbers: the document still has the value of the check before.
  ...rows([['comma', '1234,5', 1234.5] as const, ['point', '4321.5', 4321.5] as const], ([name, text, value]) => [
    `decimal-${name}`,
    NUMBERS,
    `a number with a decimal ${name} is accepted`,
    setAndRead(text, value, `${value} after an update to ${text}`),
  ]),
  [
    'empty',
    ['4.3', 'An empty value resets the field to null.'],
    'an empty value sets the field to null',
    setAndRead('', null, 'null'),
  ],
  [
    'state',
    ['3.3', 'fields changed; empty value sets field to null'],
    'an edited document remains SUCCESS',
    async (context) => {
      expect(await set(context, '12.5'), status(200));
      await assertStillSuccess(context);
    },
  ],
  [
    'not-success',
    ['3.3', 'any state but `SUCCESS`'],
    'a document that is not SUCCESS cannot be edited',
    expecting(async (context) => set(context, '12.5', { id: await failed(context) }), rejection),
  ],
  [
    'unknown',
    ['4.3', 'task not in `SUCCESS`; unauthorized or token expired; task not found; validation error'],
    'an unknown task cannot be edited',
    expecting((context) => update(context, UNKNOWN_ID, { 'general:address': 'x' }), clientError),
  ],
]);
