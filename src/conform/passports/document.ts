import type { Check } from '../check.ts';
import { assertThat, body, checks, clientError, type Expectation, expect, expecting, status } from '../expect.ts';
import { isRecord, oneOf } from '../shape.ts';
import { result } from './fields.ts';
import { document, empty, readStatus, statusOf, UNKNOWN_ID } from './steps.ts';

const STATES = ['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED', 'ERROR', 'PERMANENT_ERROR'];

export const notFoundStatus: Expectation = (response) => {
  if (statusOf(response) === 'NOT_FOUND' && response.status < 500) return;
  const isError = isRecord(response.json) && isRecord(response.json['error']);
  assertThat(response, isError, '`status` to be NOT_FOUND, or an error envelope');
  expect(response, clientError);
};

export const documentChecks: readonly Check[] = checks('passports', [
  [
    'status.state',
    ['3.3', 'States: `PENDING`, `PROCESSING`, `SUCCESS`, `FAILED`, `ERROR`, `PERMANENT_ERROR`'],
    'GET /api/task/{task_id}/status returns one of the states',
    expecting(
      async (context) => [
        await readStatus(context, await document(context)),
        await readStatus(context, await empty(context)),
      ],
      status(200),
      body({ status: oneOf(...STATES) }),
    ),
  ],
  [
    'status.unknown',
    ['3.3', 'a status query may also return `NOT_FOUND`'],
    'the status of an unknown task is NOT_FOUND or an error',
    expecting((context) => readStatus(context, UNKNOWN_ID), notFoundStatus),
  ],
  [
    'result.success',
    ['4.3', 'full extraction result'],
    'the result of a processed document can be read',
    expecting(result, status(200), body({})),
  ],
]);
