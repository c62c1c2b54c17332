import type { Check } from '../check.ts';
import { body, checks, expecting, rejection, status } from '../expect.ts';
import { oneOf } from '../shape.ts';
import { assertStillSuccess, extracted, failed, request, UNKNOWN_ID } from './steps.ts';

const retry = request('post', (id) => `/api/task/${id}/retry`);

export const retryChecks: readonly Check[] = checks('passports.retry', [
  [
    'conflict',
    ['4.3', '409 when the task is not in `ERROR` or `FAILED`.'],
    'a retry of a SUCCESS document returns 409',
    expecting(async (context) => retry(context, await extracted(context)), status(409), rejection),
  ],
  [
    'unchanged',
    ['3.3', 'any other state'],
    'a rejected retry leaves the document SUCCESS',
    async (context) => {
      await retry(context, await extracted(context));
      await assertStillSuccess(context);
    },
  ],
  [
    'unknown',
    ['4.3', 'Errors also: unauthorized or token expired; task not found; validation error.'],
    'a retry of an unknown task returns an error',
    expecting((context) => retry(context, UNKNOWN_ID), rejection),
  ],
  [
    'pending',
    ['4.3', 'Success: task status response.'],
    'a retry of a failed document returns PENDING',
    expecting(
      async (context) => retry(context, await failed(context)),
      status(200, 202),
      body({ status: oneOf('PENDING') }),
    ),
  ],
]);
