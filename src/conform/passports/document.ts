import type { Check } from '../check.ts';
import { assertErrorStatus, assertShape, assertStatus, assertThat, bodyOf } from '../expect.ts';
import { isRecord, oneOf, record } from '../shape.ts';
import { result } from './fields.ts';
import { document, empty, extracted, readStatus, statusOf, UNKNOWN_ID } from './steps.ts';

const STATES = ['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED', 'ERROR', 'PERMANENT_ERROR'];

export const documentChecks: readonly Check[] = [
  {
    id: 'passports.status.state',
    cites: ['3.3', 'States: `PENDING`, `PROCESSING`, `SUCCESS`, `FAILED`, `ERROR`, `PERMANENT_ERROR`'],
    title: 'GET /api/task/{task_id}/status returns one of the states',
    run: async (context) => {
      for (const id of [await document(context), await empty(context)]) {
        const response = await readStatus(context, id);
        assertStatus(response, 200);
        assertShape(response, bodyOf(response), record({ status: oneOf(...STATES) }), 'the body');
      }
    },
  },
  {
    id: 'passports.status.unknown',
    cites: ['3.3', 'a status query may also return `NOT_FOUND`'],
    title: 'the status of an unknown task is NOT_FOUND or an error',
    run: async (context) => {
      const response = await readStatus(context, UNKNOWN_ID);
      const isError = isRecord(response.json) && isRecord(response.json['error']);
      assertThat(
        response,
        statusOf(response) === 'NOT_FOUND' || isError,
        '`status` to be NOT_FOUND, or an error envelope',
      );
      if (statusOf(response) !== 'NOT_FOUND') assertErrorStatus(response);
    },
  },
  {
    id: 'passports.result.success',
    cites: ['4.3', 'full extraction result'],
    title: 'the result of a processed document can be read',
    run: async (context) => {
      await extracted(context);
      const response = await result(context);
      assertStatus(response, 200);
      bodyOf(response);
    },
  },
];
