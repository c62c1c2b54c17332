import { acceptanceChecks } from '../acceptance.ts';
import type { Check, RunContext } from '../check.ts';
import { assertThat, checks, data, expect, expecting, rows, status } from '../expect.ts';
import { filledText } from '../shape.ts';
import { dataOf, further } from '../task.ts';
import { predictImage, task } from './steps.ts';

export const expectAccepted = (change: (context: RunContext) => Record<string, unknown>) =>
  expecting(
    further(task, (context) => predictImage(context, change(context))),
    status(202),
  );

export const predictAccepted: readonly Check[] = [
  ...acceptanceChecks('defectoscopy.predict', task, {
    status: ['4.1', 'Success 202 (accepted response).'],
    queued: ['3.1', 'request valid and queue available'],
    id: ['2.2', 'opaque task identifier'],
    url: ['2.2', 'relative path of the form `/result/<task_id>`'],
    estimate: ['2.2', 'hint for the first poll only; not a completion promise and not a callback timer'],
  }),
  ...checks('defectoscopy.predict', [
    [
      'another-task',
      [
        '1',
        'The flow is: create a task with `POST /predict`, then read state and result with `GET /result/{task_id}`.',
      ],
      'a second request creates a second task',
      async (context) => {
        const { id } = await task.accepted(context);
        const second = await predictImage(context);
        expect(second, data({ task_id: filledText }));
        assertThat(second, dataOf(second)['task_id'] !== id, 'a task_id different from the previous one');
      },
    ],
    ...rows(['realtime', 'batch'], (priority) => [
      `priority-${priority}`,
      ['2.2', 'allowed values `realtime`, `batch`'],
      `priority may be ${priority}`,
      expectAccepted(() => ({ priority })),
    ]),
  ]),
];
