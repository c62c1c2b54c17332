import type { Check } from '../check.ts';
import { data, dataObject, holds, shaped, status } from '../expect.ts';
import { filledText, integer, oneOf } from '../shape.ts';
import { dataOf } from '../task.ts';
import { accepted, answered, predictImage } from './steps.ts';

/** A good request is accepted, and the answer has what a client must store. */
export const predictAccepted: readonly Check[] = [
  {
    id: 'defectoscopy.predict.status',
    cites: ['4.1', 'Success 202 (accepted response).'],
    title: 'a task is accepted with 202',
    run: async (visit) => status(await answered(visit), 202),
  },
  {
    id: 'defectoscopy.predict.envelope',
    cites: ['2.1', '`ok` boolean (true); `data` object'],
    title: 'the accepted response is the success envelope, as JSON',
    run: async (visit) => {
      const { answer } = await accepted(visit);
      data(answer);
      holds(answer, /^application\/json\b/.test(answer.headers.get('content-type') ?? ''), 'the type application/json');
    },
  },
  {
    id: 'defectoscopy.predict.queued',
    cites: ['3.1', 'request valid and queue available'],
    title: 'a task that was accepted is queued',
    run: async (visit) => {
      const { answer, data } = await accepted(visit);
      shaped(answer, data['status'], oneOf('queued'), 'data.status');
    },
  },
  {
    id: 'defectoscopy.predict.task-id',
    cites: ['2.2', 'opaque task identifier'],
    title: 'the accepted response has a task_id',
    run: async (visit) => {
      const answer = await answered(visit);
      shaped(answer, dataObject(answer)['task_id'], filledText, 'data.task_id');
    },
  },
  {
    id: 'defectoscopy.predict.status-url',
    cites: ['2.2', 'relative path of the form `/result/<task_id>`'],
    title: 'status_url is /result/<task_id>',
    run: async (visit) => {
      const { answer, data, id } = await accepted(visit);
      shaped(answer, data['status_url'], oneOf(`/result/${id}`), 'data.status_url');
    },
  },
  {
    id: 'defectoscopy.predict.estimate',
    cites: ['2.2', 'hint for the first poll only; not a completion promise and not a callback timer'],
    title: 'estimated_wait_seconds is an integer, and not negative',
    run: async (visit) => {
      const { answer, data } = await accepted(visit);
      shaped(answer, data['estimated_wait_seconds'], integer, 'data.estimated_wait_seconds');
      holds(answer, Number(data['estimated_wait_seconds']) >= 0, 'data.estimated_wait_seconds to be 0 or more');
    },
  },
  {
    id: 'defectoscopy.predict.another-task',
    cites: [
      '1',
      'The flow is: create a task with `POST /predict`, then read state and result with `GET /result/{task_id}`.',
    ],
    title: 'another request is another task',
    run: async (visit) => {
      const { id } = await accepted(visit);
      const again = await predictImage(visit);
      const other = dataOf(again)['task_id'];
      holds(again, other !== id, 'a task_id other than that of the request before');
    },
  },
  ...['realtime', 'batch'].map(
    (priority): Check => ({
      id: `defectoscopy.predict.priority-${priority}`,
      cites: ['2.2', 'allowed values `realtime`, `batch`'],
      title: `priority may be ${priority}`,
      run: async (visit) => {
        await accepted(visit);
        status(await predictImage(visit, { priority }), 202);
      },
    }),
  ),
];
