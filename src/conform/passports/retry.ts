import type { Check, RunContext } from '../check.ts';
import { assertErrorStatus, assertLooseErrorEnvelope, assertShape, assertStatus, bodyOf } from '../expect.ts';
import { oneOf, record } from '../shape.ts';
import { extracted, failed, readStatus, statusOf, UNKNOWN_ID, withSession } from './steps.ts';

const retry = async (context: RunContext, id: string) =>
  context.probe.post(`/api/task/${id}/retry`, await withSession(context));

const CONFLICT = ['4.3', '409 when the task is not in `ERROR` or `FAILED`.'] as const;

export const retryChecks: readonly Check[] = [
  {
    id: 'passports.retry.conflict',
    cites: CONFLICT,
    title: 'a retry of a SUCCESS document returns 409',
    run: async (context) => {
      const response = await retry(context, await extracted(context));
      assertStatus(response, 409);
      assertLooseErrorEnvelope(response);
    },
  },
  {
    id: 'passports.retry.unchanged',
    cites: ['3.3', 'any other state'],
    title: 'a rejected retry leaves the document SUCCESS',
    run: async (context) => {
      const id = await extracted(context);
      await retry(context, id);
      const response = await readStatus(context, id);
      assertShape(response, statusOf(response), oneOf('SUCCESS'), 'status');
    },
  },
  {
    id: 'passports.retry.unknown',
    cites: ['4.3', 'Errors also: unauthorized or token expired; task not found; validation error.'],
    title: 'a retry of an unknown task returns an error',
    run: async (context) => {
      const response = await retry(context, UNKNOWN_ID);
      assertErrorStatus(response);
      assertLooseErrorEnvelope(response);
    },
  },
  {
    id: 'passports.retry.pending',
    cites: ['4.3', 'Success: task status response.'],
    title: 'a retry of a failed document returns PENDING',
    run: async (context) => {
      const response = await retry(context, await failed(context));
      assertStatus(response, 200, 202);
      assertShape(response, bodyOf(response), record({ status: oneOf('PENDING') }), 'the body');
    },
  },
];
