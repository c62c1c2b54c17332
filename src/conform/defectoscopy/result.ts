import { expectIdInEveryState } from '../acceptance.ts';
import { requireAccess, unknownTaskId } from '../access.ts';
import { skip } from '../assertion-failure.ts';
import type { Check } from '../check.ts';
import { checks, data, error, expect, expecting, sameBody, status, successData } from '../expect.ts';
import { filledText, integer, listOf, number, oneOf, record, text, unixSeconds, without } from '../shape.ts';
import { readTask } from '../task.ts';
import { classes } from './model.ts';
import { failed, task } from './steps.ts';

const { done, final, inProgress, states } = task;

const CODE_BY_STATE = ['3.1', '`queued` 202, `processing` 202, `done` 200, `failed` 200'] as const;
const PRESENCE = ['2.2', 'Present when'] as const;
const RESULT_WORDS =
  'object: `surface` string; `masters` array of `{name string, conf number}`; `defects` array of `{name string, conf number}`';

const named = listOf(record({ name: filledText, conf: number }));
const RESULT = record({ surface: text, masters: named, defects: named });

export const result: readonly Check[] = checks('defectoscopy.result', [
  [
    'in-progress.status',
    CODE_BY_STATE,
    'the result of a queued or processing task has status 202',
    expecting(inProgress, status(202)),
  ],
  [
    'state',
    ['2.2', 'string: `queued`, `processing`, `done`, `failed`'],
    'the state is one of four values in the success envelope',
    expecting(states, data({ status: oneOf('queued', 'processing', 'done', 'failed') })),
  ],
  ['task-id', PRESENCE, 'task_id is present in every state', expectIdInEveryState(task)],
  [
    'in-progress.message',
    ['2.2', 'in-progress responses'],
    'a task in progress has a message',
    expecting(inProgress, data({ message: text })),
  ],
  [
    'in-progress.no-result',
    PRESENCE,
    'a task in progress has no result and no error',
    expecting(inProgress, data(without('result', 'processing_time_ms', 'completed_at', 'error'))),
  ],
  ['done.status', CODE_BY_STATE, 'the result of a completed task has status 200', expecting(done, status(200))],
  [
    'done.result',
    ['2.2', RESULT_WORDS],
    'a completed task has surface, masters and defects',
    expecting(done, data({ result: RESULT })),
  ],
  [
    'done.names',
    ['2.2', 'array of strings (defect names; allowed surface names)'],
    'the surface and defects are listed by /classes',
    async (context) => {
      const response = await done(context);
      const [surfaces, defects] = [await classes.surfaces(context), await classes.defects(context)];
      if (surfaces.status !== 200 || defects.status !== 200) skip('the class lists are unavailable');
      const among = (list: unknown) => oneOf(...(Array.isArray(list) ? list : []));
      const found = record({ name: among(successData(defects)) });
      const shape = record({ surface: among(successData(surfaces)), defects: listOf(found) });
      expect(response, data({ result: shape }));
    },
  ],
  [
    'done.time',
    ['2.2', '`processing_time_ms`'],
    'a completed task has an integer processing_time_ms',
    expecting(done, data({ processing_time_ms: integer })),
  ],
  [
    'done.completed-at',
    ['2.2', 'string (decimal string of a Unix time in seconds)'],
    'completed_at is a decimal string of Unix seconds',
    expecting(done, data({ completed_at: unixSeconds })),
  ],
  [
    'done.nothing-else',
    PRESENCE,
    'a completed task has no error and no message',
    expecting(done, data(without('error', 'message'))),
  ],
  [
    'no-webhook',
    ['2.2', 'only for tasks created with `webhook_url`'],
    'a task without a webhook_url has no webhook',
    expecting(states, data(without('webhook'))),
  ],
  [
    'final',
    ['3.1', 'the result is readable until its TTL ends'],
    'a final state does not change',
    async (context) => {
      const before = await final(context);
      expect(await task.again(context), status(before.status), sameBody(before));
    },
  ],
  [
    'failed.status',
    CODE_BY_STATE,
    'the result of a failed task has status 200',
    expecting(failed, data({ status: oneOf('failed') }), status(200)),
  ],
  [
    'failed.error',
    ['2.2', 'string, human-readable'],
    'a failed task has an error string and no result',
    expecting(failed, data({ error: text }), data(without('result', 'completed_at', 'message'))),
  ],
  [
    'unknown',
    ['7', 'unknown `task_id`, or result removed after its TTL'],
    'an unknown task_id returns 404 TASK_NOT_FOUND',
    async (context) => {
      await requireAccess(context);
      const response = await readTask(context, unknownTaskId(context));
      if (response.status === 503) skip('task states are unavailable');
      expect(response, status(404), error('TASK_NOT_FOUND'));
    },
  ],
]);
