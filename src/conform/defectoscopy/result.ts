import { admitted, nobodys } from '../access.ts';
import { skip } from '../breach.ts';
import type { Check } from '../check.ts';
import { data, dataObject, envelope, holds, shaped, status } from '../expect.ts';
import { same } from '../same.ts';
import { filledText, integer, listOf, number, oneOf, record, text, unixSeconds, without } from '../shape.ts';
import { readTask, stateOf } from '../task.ts';
import { classes } from './model.ts';
import { accepted, done, failed, final, firstLook, inProgress } from './steps.ts';

const CODE_BY_STATE = ['3.1', '`queued` 202, `processing` 202, `done` 200, `failed` 200'] as const;

const named = listOf(record({ name: filledText, conf: number }));
const RESULT = record({ surface: text, masters: named, defects: named });

/** What `GET /result/{task_id}` answers in each state. */
export const result: readonly Check[] = [
  {
    id: 'defectoscopy.result.in-progress.status',
    cites: CODE_BY_STATE,
    title: 'a task that is queued or processing is answered with 202',
    run: async (visit) => status(await inProgress(visit), 202),
  },
  {
    id: 'defectoscopy.result.state',
    cites: ['2.2', 'string: `queued`, `processing`, `done`, `failed`'],
    title: 'the state is one of the four, in the success envelope',
    run: async (visit) => {
      for (const answer of [await firstLook(visit), await final(visit)]) {
        const status = oneOf('queued', 'processing', 'done', 'failed');
        shaped(answer, data(answer), record({ status }), 'data');
      }
    },
  },
  {
    id: 'defectoscopy.result.task-id',
    cites: ['2.2', 'Present when'],
    title: 'task_id is there in every state, and is that of the request',
    run: async (visit) => {
      const { id } = await accepted(visit);
      for (const answer of [await firstLook(visit), await final(visit)]) {
        shaped(answer, dataObject(answer)['task_id'], oneOf(id), 'data.task_id');
      }
    },
  },
  {
    id: 'defectoscopy.result.in-progress.message',
    cites: ['2.2', 'in-progress responses'],
    title: 'while it is in progress there is a message',
    run: async (visit) => {
      const answer = await inProgress(visit);
      shaped(answer, dataObject(answer), record({ message: text }), 'data');
    },
  },
  {
    id: 'defectoscopy.result.in-progress.no-result',
    cites: ['2.2', 'Present when'],
    title: 'while it is in progress there is nothing of an end',
    run: async (visit) => {
      const answer = await inProgress(visit);
      const none = without('result', 'processing_time_ms', 'completed_at', 'error');
      shaped(answer, dataObject(answer), none, 'data');
    },
  },
  {
    id: 'defectoscopy.result.done.status',
    cites: CODE_BY_STATE,
    title: 'a task that is done is answered with 200',
    run: async (visit) => status(await done(visit), 200),
  },
  {
    id: 'defectoscopy.result.done.result',
    cites: [
      '2.2',
      'object: `surface` string; `masters` array of `{name string, conf number}`; `defects` array of `{name string, conf number}`',
    ],
    title: 'a task that is done has its surface, masters and defects',
    run: async (visit) => {
      const answer = await done(visit);
      shaped(answer, dataObject(answer), record({ result: RESULT }), 'data');
    },
  },
  {
    id: 'defectoscopy.result.done.names',
    cites: ['2.2', 'array of strings (defect names; allowed surface names)'],
    title: 'the surface and the defects that are found are among those of /classes',
    run: async (visit) => {
      const answer = await done(visit);
      const [surfaces, defects] = [await classes.surfaces(visit), await classes.defects(visit)];
      if (surfaces.status !== 200 || defects.status !== 200) skip('the lists of classes are not to be had now');
      const among = (list: unknown) => oneOf(...(Array.isArray(list) ? list : []));
      const found = record({ name: among(data(defects)) });
      const shape = record({ surface: among(data(surfaces)), defects: listOf(found) });
      shaped(answer, dataObject(answer)['result'], shape, 'data.result');
    },
  },
  {
    id: 'defectoscopy.result.done.time',
    cites: ['2.2', '`processing_time_ms`'],
    title: 'a task that is done has processing_time_ms, an integer',
    run: async (visit) => {
      const answer = await done(visit);
      shaped(answer, dataObject(answer), record({ processing_time_ms: integer }), 'data');
    },
  },
  {
    id: 'defectoscopy.result.done.completed-at',
    cites: ['2.2', 'string (decimal string of a Unix time in seconds)'],
    title: 'completed_at is a decimal string of Unix seconds',
    run: async (visit) => {
      const answer = await done(visit);
      shaped(answer, dataObject(answer), record({ completed_at: unixSeconds }), 'data');
    },
  },
  {
    id: 'defectoscopy.result.done.nothing-else',
    cites: ['2.2', 'Present when'],
    title: 'a task that is done has neither an error nor the message of one in progress',
    run: async (visit) => {
      const answer = await done(visit);
      shaped(answer, dataObject(answer), without('error', 'message'), 'data');
    },
  },
  {
    id: 'defectoscopy.result.no-webhook',
    cites: ['2.2', 'only for tasks created with `webhook_url`'],
    title: 'a task without a webhook_url has no webhook',
    run: async (visit) => {
      for (const answer of [await firstLook(visit), await final(visit)]) {
        shaped(answer, dataObject(answer), without('webhook'), 'data');
      }
    },
  },
  {
    id: 'defectoscopy.result.final',
    cites: ['3.1', 'the result is readable until its TTL ends'],
    title: 'a final state stays as it is, however often it is read',
    run: async (visit) => {
      const before = await final(visit);
      const answer = await readTask(visit, (await accepted(visit)).id);
      status(answer, before.status);
      holds(answer, same(answer.json, before.json), 'the same body as the time before');
    },
  },
  {
    id: 'defectoscopy.result.failed.status',
    cites: CODE_BY_STATE,
    title: 'a task that failed is answered with 200',
    run: async (visit) => {
      const answer = await failed(visit);
      shaped(answer, stateOf(answer), oneOf('failed'), 'data.status');
      status(answer, 200);
    },
  },
  {
    id: 'defectoscopy.result.failed.error',
    cites: ['2.2', 'string, human-readable'],
    title: 'a task that failed says why in a string, and has no result',
    run: async (visit) => {
      const answer = await failed(visit);
      shaped(answer, dataObject(answer), record({ error: text }), 'data');
      shaped(answer, dataObject(answer), without('result', 'completed_at', 'message'), 'data');
    },
  },
  {
    id: 'defectoscopy.result.unknown',
    cites: ['7', 'unknown `task_id`, or result removed after its TTL'],
    title: 'an unknown task_id is 404 TASK_NOT_FOUND',
    run: async (visit) => {
      await admitted(visit);
      const answer = await readTask(visit, nobodys(visit));
      if (answer.status === 503) skip('the state of tasks cannot be read now');
      status(answer, 404);
      envelope(answer, 'TASK_NOT_FOUND');
    },
  },
];
