import type { Check } from './check.ts';
import { checks, contentType, data, expect, expecting, status } from './expect.ts';
import { atLeast, filledText, oneOf } from './shape.ts';
import type { TaskSteps } from './task.ts';

type Cites = Readonly<Record<'status' | 'queued' | 'id' | 'url' | 'estimate', Check['cites']>>;

/** Expects the id of the created task in its first and its final state. */
export const expectIdInEveryState =
  ({ accepted, states }: TaskSteps): Check['run'] =>
  async (context) => {
    const { id } = await accepted(context);
    for (const response of await states(context)) expect(response, data({ task_id: oneOf(id) }));
  };

/** The accepted response, which defectoscopy and STT share. */
export const acceptanceChecks = (topic: string, { answered, accepted, acceptance }: TaskSteps, cites: Cites): Check[] =>
  checks(topic, [
    ['status', cites.status, 'a task is accepted with 202', expecting(answered, status(202))],
    [
      'envelope',
      ['2.1', '`ok` boolean (true); `data` object'],
      'the accepted response is the success envelope, as JSON',
      expecting(acceptance, data({}), contentType(/^application\/json\b/, 'the type application/json')),
    ],
    ['queued', cites.queued, 'an accepted task is queued', expecting(acceptance, data({ status: oneOf('queued') }))],
    ['task-id', cites.id, 'the accepted response has a task_id', expecting(answered, data({ task_id: filledText }))],
    [
      'status-url',
      cites.url,
      'status_url is /result/<task_id>',
      async (context) => {
        const { response, id } = await accepted(context);
        expect(response, data({ status_url: oneOf(`/result/${id}`) }));
      },
    ],
    [
      'estimate',
      cites.estimate,
      'estimated_wait_seconds is a non-negative integer',
      expecting(acceptance, data({ estimated_wait_seconds: atLeast(0) })),
    ],
  ]);
