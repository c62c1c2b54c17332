import type { Check } from '../check.ts';
import { body, holds, looseEnvelope, refused, shaped, status } from '../expect.ts';
import { oneOf, record } from '../shape.ts';
import { decimalField, update, valueNow } from './fields.ts';
import { extracted, failed, NOBODYS, readStatus, statusOf } from './steps.ts';

const NUMBERS = ['4.3', 'Numbers with a decimal comma or decimal point are both accepted.'] as const;

/** Fields that people correct. */
export const editChecks: readonly Check[] = [
  {
    id: 'passports.update.json',
    cites: ['2.4', '`status` string (always `ok`), `id` string (UUID of updated task, required)'],
    title: 'an update that asks for JSON is answered with status ok and the id',
    run: async (visit) => {
      const [id, { section, field }] = [await extracted(visit), await decimalField(visit)];
      const answer = await update(visit, id, { [`${section}:${field}`]: '12.5' });
      status(answer, 200);
      shaped(answer, body(answer), record({ status: oneOf('ok'), id: oneOf(id) }), 'the body');
    },
  },
  {
    id: 'passports.update.redirect',
    cites: ['4.3', "otherwise it is a 303 redirect to the task's view"],
    title: 'an update that does not ask for JSON is answered with 303 to the task’s view',
    run: async (visit) => {
      const [id, { section, field }] = [await extracted(visit), await decimalField(visit)];
      const answer = await update(visit, id, { [`${section}:${field}`]: '12.5' }, 'text/html');
      status(answer, 303);
      holds(answer, (answer.headers.get('location') ?? '').includes(id), 'a Location with the task’s id in it');
    },
  },
  ...(
    [
      ['comma', '1234,5'],
      ['point', '1234.5'],
    ] as const
  ).map(
    ([name, written]): Check => ({
      id: `passports.update.decimal-${name}`,
      cites: NUMBERS,
      title: `a number may have a decimal ${name}`,
      run: async (visit) => {
        const [id, found] = [await extracted(visit), await decimalField(visit)];
        const key = `${found.section}:${found.field}`;
        await update(visit, id, { [key]: '7.5' });
        status(await update(visit, id, { [key]: written }), 200);
        const { answer, value } = await valueNow(visit, id, found);
        holds(answer, Number(value) === 1234.5, `${key} to be 1234.5 after ${written} was written`);
      },
    }),
  ),
  {
    id: 'passports.update.empty',
    cites: ['4.3', 'An empty value resets the field to null.'],
    title: 'an empty value makes the field null',
    run: async (visit) => {
      const [id, found] = [await extracted(visit), await decimalField(visit)];
      const key = `${found.section}:${found.field}`;
      status(await update(visit, id, { [key]: '' }), 200);
      const { answer, value } = await valueNow(visit, id, found);
      holds(answer, value === null, `${key} to be null`);
    },
  },
  {
    id: 'passports.update.state',
    cites: ['3.3', 'fields changed; empty value sets field to null'],
    title: 'a document that was edited is still SUCCESS',
    run: async (visit) => {
      const [id, { section, field }] = [await extracted(visit), await decimalField(visit)];
      await update(visit, id, { [`${section}:${field}`]: '12.5' });
      const answer = await readStatus(visit, id);
      shaped(answer, statusOf(answer), oneOf('SUCCESS'), 'status');
    },
  },
  {
    id: 'passports.update.not-success',
    cites: ['3.3', 'any state but `SUCCESS`'],
    title: 'a document that is not SUCCESS is not edited',
    run: async (visit) => {
      const [id, { section, field }] = [await failed(visit), await decimalField(visit)];
      const answer = await update(visit, id, { [`${section}:${field}`]: '12.5' });
      refused(answer);
      looseEnvelope(answer);
    },
  },
  {
    id: 'passports.update.unknown',
    cites: ['4.3', 'task not in `SUCCESS`; unauthorized or token expired; task not found; validation error'],
    title: 'an unknown task is not edited',
    run: async (visit) => {
      const answer = await update(visit, NOBODYS, { 'general:address': 'x' });
      refused(answer);
    },
  },
];
