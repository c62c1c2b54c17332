import { type Static, Type } from 'typebox';
import { taskNotFound } from '../../base/api-error.ts';
import { unixSeconds } from '../../base/time.ts';
import { describeErrors, describeResponse, Success, success } from '../../http/envelope.ts';
import type { Gateway } from '../../http/gateway.ts';
import type { TaskStore } from '../../tasks/store.ts';
import { queueOf } from './sandbox/queue.ts';
import { parseTaskId, TaskParams } from './task-params.ts';
import { UnixSeconds } from './task-schema.ts';
import { presentTimeline, TimelineEntries } from './timeline-schema.ts';

export const TaskTimeline = Success(
  Type.Object({
    task_id: Type.String(),
    status: Type.Enum(['queued', 'processing', 'done', 'failed']),
    timeline: TimelineEntries(UnixSeconds),
  }),
);

/** Adds `GET /result/{task_id}/timeline`. */
export function timelineRoute(
  app: Gateway,
  { service, tasks, ownTasksOnly }: { service: string; tasks: TaskStore; ownTasksOnly: boolean },
): void {
  app.get<{ Params: Static<typeof TaskParams> }>(
    '/result/:task_id/timeline',
    {
      config: { access: 'task', limited: true },
      schema: {
        summary: 'Timeline of a task',
        description:
          'When the task was accepted, queued, claimed by a worker, repeated and ended, how long the steps of each attempt took, and each delivery attempt.',
        operationId: 'readTimeline',
        tags: ['tasks'],
        params: TaskParams,
        response: {
          200: describeResponse('The timeline.', TaskTimeline, { done: success(example) }),
          404: describeErrors(taskNotFound()),
        },
      },
    },
    async ({ params, principal }) => {
      const id = parseTaskId(params);
      const timeline = await tasks.readTimeline(queueOf(service, principal), id);
      if (!timeline || (ownTasksOnly && timeline.principal !== principal)) throw taskNotFound();
      return success({ task_id: id, status: timeline.status, timeline: presentTimeline(timeline, unixSeconds) });
    },
  );
}

const example = {
  task_id: '01KAF3M9WZ7Y5T2Q8C4N6B1D0E',
  status: 'done',
  timeline: [
    { type: 'accepted', at: '1767225600', offset_ms: 0 },
    { type: 'queued', at: '1767225600', offset_ms: 0 },
    { type: 'claimed', at: '1767225600', offset_ms: 4, attempt: 1, worker: 'q8c4n6b1d0e2' },
    { type: 'step', at: '1767225600', offset_ms: 5, attempt: 1, step: 'download', duration_ms: 81 },
    { type: 'step', at: '1767225600', offset_ms: 86, attempt: 1, step: 'infer', duration_ms: 40 },
    { type: 'ended', at: '1767225600', offset_ms: 129, status: 'done' },
    { type: 'delivery', at: '1767225600', offset_ms: 141, attempt: 1, duration_ms: 18, response_status_code: 204 },
  ],
} as const;
