import { requireAccess, unknownTaskId } from '../access.ts';
import { skip } from '../assertion-failure.ts';
import type { Check } from '../check.ts';
import { assertErrorEnvelope, assertShape, assertStatus, assertThat, successData, successObject } from '../expect.ts';
import { deepEqual, filledText, integer, listOf, number, oneOf, record, text, unixSeconds, without } from '../shape.ts';
import { readTask, stateOf } from '../task.ts';
import { classes } from './model.ts';
import { accepted, done, failed, final, firstLook, inProgress } from './steps.ts';

const CODE_BY_STATE = ['3.1', '`queued` 202, `processing` 202, `done` 200, `failed` 200'] as const;

const named = listOf(record({ name: filledText, conf: number }));
const RESULT = record({ surface: text, masters: named, defects: named });

export const result: readonly Check[] = [
  {
    id: 'defectoscopy.result.in-progress.status',
    cites: CODE_BY_STATE,
    title: 'the result of a queued or processing task has status 202',
    run: async (context) => assertStatus(await inProgress(context), 202),
  },
  {
    id: 'defectoscopy.result.state',
    cites: ['2.2', 'string: `queued`, `processing`, `done`, `failed`'],
    title: 'the state is one of four values in the success envelope',
    run: async (context) => {
      for (const response of [await firstLook(context), await final(context)]) {
        const status = oneOf('queued', 'processing', 'done', 'failed');
        assertShape(response, successData(response), record({ status }), 'data');
      }
    },
  },
  {
    id: 'defectoscopy.result.task-id',
    cites: ['2.2', 'Present when'],
    title: 'task_id is present in every state',
    run: async (context) => {
      const { id } = await accepted(context);
      for (const response of [await firstLook(context), await final(context)]) {
        assertShape(response, successObject(response)['task_id'], oneOf(id), 'data.task_id');
      }
    },
  },
  {
    id: 'defectoscopy.result.in-progress.message',
    cites: ['2.2', 'in-progress responses'],
    title: 'a task in progress has a message',
    run: async (context) => {
      const response = await inProgress(context);
      assertShape(response, successObject(response), record({ message: text }), 'data');
    },
  },
  {
    id: 'defectoscopy.result.in-progress.no-result',
    cites: ['2.2', 'Present when'],
    title: 'a task in progress has no result and no error',
    run: async (context) => {
      const response = await inProgress(context);
      const absentFields = without('result', 'processing_time_ms', 'completed_at', 'error');
      assertShape(response, successObject(response), absentFields, 'data');
    },
  },
  {
    id: 'defectoscopy.result.done.status',
    cites: CODE_BY_STATE,
    title: 'the result of a completed task has status 200',
    run: async (context) => assertStatus(await done(context), 200),
  },
  {
    id: 'defectoscopy.result.done.result',
    cites: [
      '2.2',
      'object: `surface` string; `masters` array of `{name string, conf number}`; `defects` array of `{name string, conf number}`',
    ],
    title: 'a completed task has surface, masters and defects',
    run: async (context) => {
      const response = await done(context);
      assertShape(response, successObject(response), record({ result: RESULT }), 'data');
    },
  },
  {
    id: 'defectoscopy.result.done.names',
    cites: ['2.2', 'array of strings (defect names; allowed surface names)'],
    title: 'the surface and defects are listed by /classes',
    run: async (context) => {
      const response = await done(context);
      const [surfaces, defects] = [await classes.surfaces(context), await classes.defects(context)];
      if (surfaces.status !== 200 || defects.status !== 200) skip('the class lists are unavailable');
      const among = (list: unknown) => oneOf(...(Array.isArray(list) ? list : []));
      const found = record({ name: among(successData(defects)) });
      const shape = record({ surface: among(successData(surfaces)), defects: listOf(found) });
      assertShape(response, successObject(response)['result'], shape, 'data.result');
    },
  },
  {
    id: 'defectoscopy.result.done.time',
    cites: ['2.2', '`processing_time_ms`'],
    title: 'a completed task has an integer processing_time_ms',
    run: async (context) => {
      const response = await done(context);
      assertShape(response, successObject(response), record({ processing_time_ms: integer }), 'data');
    },
  },
  {
    id: 'defectoscopy.result.done.completed-at',
    cites: ['2.2', 'string (decimal string of a Unix time in seconds)'],
    title: 'completed_at is a decimal string of Unix seconds',
    run: async (context) => {
      const response = await done(context);
      assertShape(response, successObject(response), record({ completed_at: unixSeconds }), 'data');
    },
  },
  {
    id: 'defectoscopy.result.done.nothing-else',
    cites: ['2.2', 'Present when'],
    title: 'a completed task has no error and no message',
    run: async (context) => {
      const response = await done(context);
      assertShape(response, successObject(response), without('error', 'message'), 'data');
    },
  },
  {
    id: 'defectoscopy.result.no-webhook',
    cites: ['2.2', 'only for tasks created with `webhook_url`'],
    title: 'a task without a webhook_url has no webhook',
    run: async (context) => {
      for (const response of [await firstLook(context), await final(context)]) {
        assertShape(response, successObject(response), without('webhook'), 'data');
      }
    },
  },
  {
    id: 'defectoscopy.result.final',
    cites: ['3.1', 'the result is readable until its TTL ends'],
    title: 'a final state does not change',
    run: async (context) => {
      const before = await final(context);
      const response = await readTask(context, (await accepted(context)).id);
      assertStatus(response, before.status);
      assertThat(response, deepEqual(response.json, before.json), 'the same body as before');
    },
  },
  {
    id: 'defectoscopy.result.failed.status',
    cites: CODE_BY_STATE,
    title: 'the result of a failed task has status 200',
    run: async (context) => {
      const response = await failed(context);
      assertShape(response, stateOf(response), oneOf('failed'), 'data.status');
      assertStatus(response, 200);
    },
  },
  {
    id: 'defectoscopy.result.failed.error',
    cites: ['2.2', 'string, human-readable'],
    title: 'a failed task has an error string and no result',
    run: async (context) => {
      const response = await failed(context);
      assertShape(response, successObject(response), record({ error: text }), 'data');
      assertShape(response, successObject(response), without('result', 'completed_at', 'message'), 'data');
    },
  },
  {
    id: 'defectoscopy.result.unknown',
    cites: ['7', 'unknown `task_id`, or result removed after its TTL'],
    title: 'an unknown task_id returns 404 TASK_NOT_FOUND',
    run: async (context) => {
      await requireAccess(context);
      const response = await readTask(context, unknownTaskId(context));
      if (response.status === 503) skip('task states are unavailable');
      assertStatus(response, 404);
      assertErrorEnvelope(response, 'TASK_NOT_FOUND');
    },
  },
];
