import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { taskAlreadyFinished, taskNotFound, taskNotReady } from '../../base/api-error.ts';
import type { JsonObject } from '../../base/json.ts';
import { describeErrors, describeResponse, notModified } from '../../http/envelope.ts';
import { matchesETag, weakETag } from '../../http/etag.ts';
import type { Gateway } from '../../http/gateway.ts';
import { preferredWait } from '../../http/prefer-header.ts';
import { stopOf } from '../../http/stop-signal.ts';
import type { TaskStore } from '../../tasks/store.ts';
import { type Done, isFinished, type Task } from '../../tasks/task.ts';
import { waitForEnd } from '../../tasks/wait.ts';
import { isSandboxQueue, queueOf } from './sandbox/queue.ts';
import type { GatewayContext } from './service.ts';
import { parseTaskId, TaskParams } from './task-params.ts';
import { timelineRoute } from './timeline-route.ts';

export function taskRoutes(
  app: Gateway,
  deps: {
    service: string;
    context: Pick<GatewayContext, 'tasks' | 'onCancelled' | 'webhookKeys'>;
    /** The task's response body as JSON text. */
    present: (task: Task, language?: 'en' | 'ru') => string;
    state: object;
    examples: Record<'processing' | 'done' | 'failed' | 'cancelled', JsonObject>;
    /** A token reads only the tasks that were created with it. */
    ownTasksOnly: boolean;
  },
): void {
  const { service, context, present, ownTasksOnly } = deps;
  const { tasks } = context;
  const config = { access: 'task', limited: true } as const;
  const state = deps.state as TSchema;
  const { processing, done, failed } = deps.examples;
  const resultHeaders = {
    ETag: 'The entity tag of the body.',
    'Preference-Applied': 'The granted wait, if `Prefer` requested one.',
  };

  const requireVisible = (task: Task | undefined, request: FastifyRequest): Task => {
    if (!task || (ownTasksOnly && task.principal !== request.principal)) throw taskNotFound();
    return task;
  };

  async function waitFor(queue: string, id: string, seconds: number, reply: FastifyReply): Promise<Task | undefined> {
    const { stop, release } = stopOf(app.closing, reply);
    return waitForEnd(tasks, queue, id, { ms: seconds * 1000, signals: [stop] }).finally(release);
  }

  app.get<{ Params: Static<typeof TaskParams> }>(
    '/result/:task_id',
    {
      config,
      schema: {
        summary: 'State and result of a task',
        description:
          'Poll no earlier than `estimated_wait_seconds`, then every 30 to 60 seconds (see `Retry-After`). `Prefer: wait=N` holds the response until the task ends, for at most N ≤ 30 seconds.',
        operationId: 'readResult',
        tags: ['tasks'],
        params: TaskParams,
        shown: {
          headers: {
            Prefer: '`wait=N`: hold the response until the task ends, for at most N ≤ 30 seconds.',
            'If-None-Match': 'The `ETag` of your copy; returns 304 if it is current.',
            'Accept-Language': 'The language of `message`: `en` or `ru`.',
          },
        },
        response: {
          200: describeResponse('The final state.', state, { done, failed }, resultHeaders),
          202: describeResponse(
            'Queued or in progress.',
            state,
            { processing },
            { ...resultHeaders, 'Retry-After': 'Recommended seconds until the next poll.' },
          ),
          304: notModified,
          404: describeErrors(taskNotFound()),
        },
      },
    },
    async (request, reply) => {
      const id = parseTaskId(request.params);
      const wait = preferredWait(request.headers['prefer'] as string | undefined);
      // Checked before waiting: the duration of a wait would reveal that the task exists.
      const queue = queueOf(service, request.principal);
      if (wait && ownTasksOnly) requireVisible(await tasks.read(queue, id), request);
      const task = requireVisible(wait ? await waitFor(queue, id, wait, reply) : await tasks.read(queue, id), request);

      if (wait !== undefined) reply.header('preference-applied', `wait=${wait}`);
      const body = present(task, preferredLanguage(request.headers['accept-language']));
      const etag = weakETag(body);
      reply.header('etag', etag);
      if (matchesETag(request.headers['if-none-match'], etag)) return reply.code(304).send();
      if (!isFinished(task)) reply.code(202).header('retry-after', String(pollAfterSeconds(task, new Date())));
      return reply.type('application/json; charset=utf-8').send(body);
    },
  );

  app.post<{ Params: Static<typeof TaskParams> }>(
    '/result/:task_id/cancel',
    {
      config,
      schema: {
        summary: 'Cancel a task',
        description: 'An unfinished task ends as `failed` with `error_code` CANCELLED.',
        operationId: 'cancelTask',
        tags: ['tasks'],
        params: TaskParams,
        response: {
          200: describeResponse('The final state.', state, { cancelled: deps.examples.cancelled }),
          404: describeErrors(taskNotFound()),
          409: describeErrors(taskAlreadyFinished()),
        },
      },
    },
    async (request, reply) => {
      const id = parseTaskId(request.params);
      const queue = queueOf(service, request.principal);
      if (ownTasksOnly) requireVisible(await tasks.read(queue, id), request);
      const task = await tasks.cancel(queue, id);
      if (task === undefined) throw taskNotFound();
      if (task === 'finished') throw taskAlreadyFinished();
      tasks.hint('finished', [id]);
      if (!isSandboxQueue(queue)) context.onCancelled(service);
      const body = present(task, preferredLanguage(request.headers['accept-language']));
      return reply.type('application/json; charset=utf-8').send(body);
    },
  );

  timelineRoute(app, { service, tasks, ownTasksOnly });

  app.get(
    '/.well-known/webhook-keys.json',
    { config: { access: 'public' }, schema: { hide: true } },
    () => context.webhookKeys,
  );
}

/** The finished task that the URL names. A task of another principal is hidden if `ownTasksOnly`. */
export async function readDone(
  { params, principal }: FastifyRequest<{ Params: Static<typeof TaskParams> }>,
  { service, tasks, ownTasksOnly }: { service: string; tasks: TaskStore; ownTasksOnly: boolean },
): Promise<Done> {
  const task = await tasks.read(queueOf(service, principal), parseTaskId(params));
  if (!task || (ownTasksOnly && task.principal !== principal)) throw taskNotFound();
  if (task.status !== 'done') throw taskNotReady();
  return task;
}

/** The `Retry-After` value: the rest of the estimate, then 30 s to 60 s with the age of the task. */
export function pollAfterSeconds(task: Task, now: Date): number {
  const age = (now.getTime() - task.queuedAt.getTime()) / 1000;
  const left = Math.ceil(task.estimateSeconds - age);
  if (left > 0) return left;
  if (isSandboxQueue(task.service)) return 1;
  return Math.min(60, 30 + Math.floor((age - task.estimateSeconds) / 10));
}

/** The first of `ru` and `en` in Accept-Language; English by default. */
export function preferredLanguage(acceptLanguage: string | undefined): 'en' | 'ru' {
  if (!acceptLanguage?.includes('ru')) return 'en';
  const first = acceptLanguage.split(',').find((part) => /^\s*(ru|en)\b/i.test(part));
  return first?.trim().toLowerCase().startsWith('ru') ? 'ru' : 'en';
}
