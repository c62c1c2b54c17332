import type { Check, Visit } from '../check.ts';
import { body, looseEnvelope, refused, shaped, status } from '../expect.ts';
import { oneOf, record } from '../shape.ts';
import { asOwner, extracted, failed, NOBODYS, readStatus, statusOf } from './steps.ts';

const retry = async (visit: Visit, id: string) => visit.probe.post(`/api/task/${id}/retry`, await asOwner(visit));

const CONFLICT = ['4.3', '409 when the task is not in `ERROR` or `FAILED`.'] as const;

/** Another try, for what failed and for nothing else. */
export const retryChecks: readonly Check[] = [
  {
    id: 'passports.retry.conflict',
    cites: CONFLICT,
    title: 'a document that is SUCCESS is not tried again: 409',
    run: async (visit) => {
      const answer = await retry(visit, await extracted(visit));
      status(answer, 409);
      looseEnvelope(answer);
    },
  },
  {
    id: 'passports.retry.unchanged',
    cites: ['3.3', 'any other state'],
    title: 'after a 409 the document is SUCCESS as before',
    run: async (visit) => {
      const id = await extracted(visit);
      await retry(visit, id);
      const answer = await readStatus(visit, id);
      shaped(answer, statusOf(answer), oneOf('SUCCESS'), 'status');
    },
  },
  {
    id: 'passports.retry.unknown',
    cites: ['4.3', 'Errors also: unauthorized or token expired; task not found; validation error.'],
    title: 'an unknown task is not tried again',
    run: async (visit) => {
      const answer = await retry(visit, NOBODYS);
      refused(answer);
      looseEnvelope(answer);
    },
  },
  {
    id: 'passports.retry.pending',
    cites: ['4.3', 'Success: task status response.'],
    title: 'a document that failed is tried again: PENDING',
    run: async (visit) => {
      const answer = await retry(visit, await failed(visit));
      status(answer, 200, 202);
      shaped(answer, body(answer), record({ status: oneOf('PENDING') }), 'the body');
    },
  },
];
