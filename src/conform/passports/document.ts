import type { Check } from '../check.ts';
import { body, holds, refused, shaped, status } from '../expect.ts';
import { isRecord, oneOf, record } from '../shape.ts';
import { result } from './fields.ts';
import { document, empty, extracted, NOBODYS, readStatus, statusOf } from './steps.ts';

const STATES = ['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED', 'ERROR', 'PERMANENT_ERROR'];

/** One document's state and result. */
export const documentChecks: readonly Check[] = [
  {
    id: 'passports.status.state',
    cites: ['3.3', 'States: `PENDING`, `PROCESSING`, `SUCCESS`, `FAILED`, `ERROR`, `PERMANENT_ERROR`'],
    title: 'GET /api/task/{task_id}/status answers one of the states',
    run: async (visit) => {
      for (const id of [await document(visit), await empty(visit)]) {
        const answer = await readStatus(visit, id);
        status(answer, 200);
        shaped(answer, body(answer), record({ status: oneOf(...STATES) }), 'the body');
      }
    },
  },
  {
    id: 'passports.status.unknown',
    cites: ['3.3', 'a status query may also return `NOT_FOUND`'],
    title: 'the status of an unknown task is NOT_FOUND, or an error',
    run: async (visit) => {
      const answer = await readStatus(visit, NOBODYS);
      const isError = isRecord(answer.json) && isRecord(answer.json['error']);
      holds(answer, statusOf(answer) === 'NOT_FOUND' || isError, '`status` to be NOT_FOUND, or an error envelope');
      if (statusOf(answer) !== 'NOT_FOUND') refused(answer);
    },
  },
  {
    id: 'passports.result.success',
    cites: ['4.3', 'full extraction result'],
    title: 'the result of a document that is done can be read',
    run: async (visit) => {
      await extracted(visit);
      const answer = await result(visit);
      status(answer, 200);
      body(answer);
    },
  },
];
