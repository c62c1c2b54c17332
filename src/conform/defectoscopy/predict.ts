import type { Check } from '../check.ts';
import { assertShape, assertStatus, assertThat, successData, successObject } from '../expect.ts';
import { filledText, integer, oneOf } from '../shape.ts';
import { dataOf } from '../task.ts';
import { accepted, answered, predictImage } from './steps.ts';

export const predictAccepted: readonly Check[] = [
  {
    id: 'defectoscopy.predict.status',
    cites: ['4.1', 'Success 202 (accepted response).'],
    title: 'a task is accepted with 202',
    run: async (context) => assertStatus(await answered(context), 202),
  },
  {
    id: 'defectoscopy.predict.envelope',
    cites: ['2.1', '`ok` boolean (true); `data` object'],
    title: 'the accepted response is the success envelope, as JSON',
    run: async (context) => {
      const { response } = await accepted(context);
      successData(response);
      assertThat(
        response,
        /^application\/json\b/.test(response.headers.get('content-type') ?? ''),
        'the type application/json',
      );
    },
  },
  {
    id: 'defectoscopy.predict.queued',
    cites: ['3.1', 'request valid and queue available'],
    title: 'an accepted task is queued',
    run: async (context) => {
      const { response, data } = await accepted(context);
      assertShape(response, data['status'], oneOf('queued'), 'data.status');
    },
  },
  {
    id: 'defectoscopy.predict.task-id',
    cites: ['2.2', 'opaque task identifier'],
    title: 'the accepted response has a task_id',
    run: async (context) => {
      const response = await answered(context);
      assertShape(response, successObject(response)['task_id'], filledText, 'data.task_id');
    },
  },
  {
    id: 'defectoscopy.predict.status-url',
    cites: ['2.2', 'relative path of the form `/result/<task_id>`'],
    title: 'status_url is /result/<task_id>',
    run: async (context) => {
      const { response, data, id } = await accepted(context);
      assertShape(response, data['status_url'], oneOf(`/result/${id}`), 'data.status_url');
    },
  },
  {
    id: 'defectoscopy.predict.estimate',
    cites: ['2.2', 'hint for the first poll only; not a completion promise and not a callback timer'],
    title: 'estimated_wait_seconds is a non-negative integer',
    run: async (context) => {
      const { response, data } = await accepted(context);
      assertShape(response, data['estimated_wait_seconds'], integer, 'data.estimated_wait_seconds');
      assertThat(response, Number(data['estimated_wait_seconds']) >= 0, 'data.estimated_wait_seconds to be 0 or more');
    },
  },
  {
    id: 'defectoscopy.predict.another-task',
    cites: [
      '1',
      'The flow is: create a task with `POST /predict`, then read state and result with `GET /result/{task_id}`.',
    ],
    title: 'a second request creates a second task',
    run: async (context) => {
      const { id } = await accepted(context);
      const second = await predictImage(context);
      const other = dataOf(second)['task_id'];
      assertThat(second, other !== id, 'a task_id different from the previous one');
    },
  },
  ...['realtime', 'batch'].map(
    (priority): Check => ({
      id: `defectoscopy.predict.priority-${priority}`,
      cites: ['2.2', 'allowed values `realtime`, `batch`'],
      title: `priority may be ${priority}`,
      run: async (context) => {
        await accepted(context);
        assertStatus(await predictImage(context, { priority }), 202);
      },
    }),
  ),
];
