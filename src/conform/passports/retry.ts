import type { Check, Visit } from '../check.ts';
import { body, looseEnvelope, refused, shaped, status } from '../expect.ts';
import { oneOf, record } from '../shape.ts';
import { asOwner, extracted, failed, NOBODYS, readStatus, statusOf } from './steps.ts';

const retry = async (context: Visit, id: string) => context.probe.post(`/api/task/${id}/retry`, await asOwner(context));

const CONFLICT = ['4.3', '409 when the task is not in `ERROR` or `FAILED`.'] as const;

export const retryChecks: readonly Check[] = [
  {
    id: 'passports.retry.conflict',
    cites: CONFLICT,
    title: 'a retry of a SUCCESS document returns 409',
    run: async (context) => {
      const response = await retry(context, await extracted(context));
      status(response, 409);
      looseEnvelope(response);
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
      shaped(response, statusOf(response), oneOf('SUCCESS'), 'status');
    },
  },
  {
    id: 'passports.retry.unknown',
    cites: ['4.3', 'Errors also: unauthorized or token expired; task not found; validation error.'],
    title: 'a retry of an unknown task returns an error',
    run: async (context) => {
      const response = await retry(context, NOBODYS);
      refused(response);
      looseEnvelope(response);
    },
  },
  {
    id: 'passports.retry.pending',
    cites: ['4.3', 'Success: task status response.'],
    title: 'a retry of a failed document returns PENDING',
    run: async (context) => {
      const response = await retry(context, await failed(context));
      status(response, 200, 202);
      shaped(response, body(response), record({ status: oneOf('PENDING') }), 'the body');
    },
  },
];
