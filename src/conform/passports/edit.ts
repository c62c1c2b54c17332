import type { Check } from '../check.ts';
import {
  assertErrorStatus,
  assertLooseErrorEnvelope,
  assertShape,
  assertStatus,
  assertThat,
  bodyOf,
} from '../expect.ts';
import { oneOf, record } from '../shape.ts';
import { currentValue, decimalField, update } from './fields.ts';
import { extracted, failed, readStatus, statusOf, UNKNOWN_ID } from './steps.ts';

const NUMBERS = ['4.3', 'Numbers with a decimal comma or decimal point are both accepted.'] as const;

export const editChecks: readonly Check[] = [
  {
    id: 'passports.update.json',
    cites: ['2.4', '`status` string (always `ok`), `id` string (UUID of updated task, required)'],
    title: 'an update with Accept: application/json returns status ok and the id',
    run: async (context) => {
      const [id, { section, field }] = [await extracted(context), await decimalField(context)];
      const response = await update(context, id, { [`${section}:${field}`]: '12.5' });
      assertStatus(response, 200);
      assertShape(response, bodyOf(response), record({ status: oneOf('ok'), id: oneOf(id) }), 'the body');
    },
  },
  {
    id: 'passports.update.redirect',
    cites: ['4.3', "otherwise it is a 303 redirect to the task's view"],
    title: 'an update without Accept: application/json returns 303 to the task view',
    run: async (context) => {
      const [id, { section, field }] = [await extracted(context), await decimalField(context)];
      const response = await update(context, id, { [`${section}:${field}`]: '12.5' }, 'text/html');
      assertStatus(response, 303);
      assertThat(response, (response.headers.get('location') ?? '').includes(id), 'a Location with the task id');
    },
  },
  ...(
    [
      ['comma', '1234,5'],
      ['point', '1234.5'],
    ] as const
  ).map(
    ([name, text]): Check => ({
      id: `passports.update.decimal-${name}`,
      cites: NUMBERS,
      title: `a number with a decimal ${name} is accepted`,
      run: async (context) => {
        const [id, found] = [await extracted(context), await decimalField(context)];
        const key = `${found.section}:${found.field}`;
        await update(context, id, { [key]: '7.5' });
        assertStatus(await update(context, id, { [key]: text }), 200);
        const { response, value } = await currentValue(context, id, found);
        assertThat(response, Number(value) === 1234.5, `${key} to be 1234.5 after an update to ${text}`);
      },
    }),
  ),
  {
    id: 'passports.update.empty',
    cites: ['4.3', 'An empty value resets the field to null.'],
    title: 'an empty value sets the field to null',
    run: async (context) => {
      const [id, found] = [await extracted(context), await decimalField(context)];
      const key = `${found.section}:${found.field}`;
      assertStatus(await update(context, id, { [key]: '' }), 200);
      const { response, value } = await currentValue(context, id, found);
      assertThat(response, value === null, `${key} to be null`);
    },
  },
  {
    id: 'passports.update.state',
    cites: ['3.3', 'fields changed; empty value sets field to null'],
    title: 'an edited document remains SUCCESS',
    run: async (context) => {
      const [id, { section, field }] = [await extracted(context), await decimalField(context)];
      await update(context, id, { [`${section}:${field}`]: '12.5' });
      const response = await readStatus(context, id);
      assertShape(response, statusOf(response), oneOf('SUCCESS'), 'status');
    },
  },
  {
    id: 'passports.update.not-success',
    cites: ['3.3', 'any state but `SUCCESS`'],
    title: 'a document that is not SUCCESS cannot be edited',
    run: async (context) => {
      const [id, { section, field }] = [await failed(context), await decimalField(context)];
      const response = await update(context, id, { [`${section}:${field}`]: '12.5' });
      assertErrorStatus(response);
      assertLooseErrorEnvelope(response);
    },
  },
  {
    id: 'passports.update.unknown',
    cites: ['4.3', 'task not in `SUCCESS`; unauthorized or token expired; task not found; validation error'],
    title: 'an unknown task cannot be edited',
    run: async (context) => {
      const response = await update(context, UNKNOWN_ID, { 'general:address': 'x' });
      assertErrorStatus(response);
    },
  },
];
