import type { FastifyRequest } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import { taskAlreadyFinished, taskNotFound } from '../base/faults.ts';
import type { JsonObject } from '../base/json.ts';
import { notModified, refusal, reply } from '../http/envelope.ts';
import { matches, weakETag } from '../http/etag.ts';
import type { Gateway } from '../http/gateway.ts';
import { preferredWait } from '../http/prefer.ts';
import { isFinished, type Task } from '../tasks/task.ts';
import { waitForEnd } from '../tasks/wait.ts';
import type { GatewayHouse } from './service.ts';

export const Params = Type.Object({ task_id: Type.String({ description: 'The identifier from the 202 answer.' }) });

/**
 * The routes that read a task and give it up, and the keys that its callback is signed with: the same wherever a client
 * gets a task id at once and its result later.
 */
export function taskRoutes(
  app: Gateway,
  needs: {
    service: string;
    house: Pick<GatewayHouse, 'tasks' | 'onCancelled' | 'webhookKeys'>;
    /** The body that tells of a task, as JSON text. */
    present: (task: Task, language?: 'en' | 'ru') => string;
    /** The schema of what `present` gives. */
    state: object;
    examples: Record<'processing' | 'done' | 'failed' | 'cancelled', JsonObject>;
    /** Whether a valid token reads only the tasks that were created with it. */
    ownTasksOnly: boolean;
  },
): void {
  const { service, house, present, ownTasksOnly } = needs;
  const { tasks } = house;
  const config = { access: 'task', limited: true } as const;
  const state = needs.state as TSchema;
  const { processing, done, failed } = needs.examples;
  const tagged = {
    ETag: 'The tag of this body.',
    'Preference-Applied': 'The wait that was granted, where one was asked for.',
  };

  /** The task, if there is one for this caller. */
  const visible = (task: Task | undefined, request: FastifyRequest): Task => {
    if (!task || (ownTasksOnly && task.principal !== request.principal)) throw taskNotFound();
    return task;
  };

  app.get<{ Params: Static<typeof Params> }>(
    '/result/:task_id',
    {
      config,
      schema: {
        summary: 'State and result of a task',
        description:
          'Poll no earlier than `estimated_wait_seconds`, then every 30 to 60 seconds (`Retry-After` says when). `Prefer: wait=N` holds the answer until the task ends, at most N ≤ 30 seconds.',
        operationId: 'readResult',
        tags: ['tasks'],
        params: Params,
        shown: {
          headers: {
            Prefer: '`wait=N`: hold the answer until the task ends, at most N ≤ 30 seconds.',
            'If-None-Match': 'The `ETag` of the body you have: 304 while nothing has changed.',
            'Accept-Language': 'The language of `message`: `en` or `ru`.',
          },
        },
        response: {
          200: reply('The final state.', state, { done, failed }, tagged),
          202: reply(
            'Still queued or being worked on.',
            state,
            { processing },
            { ...tagged, 'Retry-After': 'Seconds until the next poll makes sense.' },
          ),
          304: notModified,
          404: refusal(taskNotFound()),
        },
      },
    },
    async (request, reply) => {
      const id = taskId(request.params);
      const wait = preferredWait(request.headers['prefer'] as string | undefined);
      // Whose task it is comes first: a wait would tell a stranger that there is one.
      if (wait && ownTasksOnly) visible(await tasks.read(service, id), request);
      const task = visible(
        wait
          ? await waitForEnd(tasks, service, id, { ms: wait * 1000, signal: app.closing })
          : await tasks.read(service, id),
        request,
      );

      if (wait !== undefined) reply.header('preference-applied', `wait=${wait}`);
      const body = present(task, languageOf(request.headers['accept-language']));
      const etag = weakETag(body);
      reply.header('etag', etag);
      if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
      if (!isFinished(task)) reply.code(202).header('retry-after', String(pollAfterSeconds(task, new Date())));
      return reply.type('application/json; charset=utf-8').send(body);
    },
  );

  app.post<{ Params: Static<typeof Params> }>(
    '/result/:task_id/cancel',
    {
      config,
      schema: {
        summary: 'Give a task up',
        description: 'A task that has not finished ends as `failed` with `error_code` CANCELLED.',
        operationId: 'cancelTask',
        tags: ['tasks'],
        params: Params,
        response: {
          200: reply('The final state.', state, { cancelled: needs.examples.cancelled }),
          404: refusal(taskNotFound()),
          409: refusal(taskAlreadyFinished()),
        },
      },
    },
    async (request, reply) => {
      const id = taskId(request.params);
      if (ownTasksOnly) visible(await tasks.read(service, id), request);
      const task = await tasks.cancel(service, id);
      if (task === undefined) throw taskNotFound();
      if (task === 'finished') throw taskAlreadyFinished();
      tasks.hint('finished', [id]);
      house.onCancelled(service);
      const body = present(task, languageOf(request.headers['accept-language']));
      return reply.type('application/json; charset=utf-8').send(body);
    },
  );

  app.get(
    '/.well-known/webhook-keys.json',
    { config: { access: 'public' }, schema: { hide: true } },
    () => house.webhookKeys,
  );
}

/** What can be no id is no task, and no question for the database. */
export function taskId({ task_id: id }: Static<typeof Params>): string {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) throw taskNotFound();
  return id;
}

/**
 * When the next poll makes sense: what is left of the estimate, afterwards 30 s that grow to 60 s with the task's age.
 */
export function pollAfterSeconds(task: Task, now: Date): number {
  const age = (now.getTime() - task.queuedAt.getTime()) / 1000;
  const left = Math.ceil(task.estimateSeconds - age);
  if (left > 0) return left;
  return Math.min(60, 30 + Math.floor((age - task.estimateSeconds) / 10));
}

/** Russian for who prefers it to English, English for all others. */
export function languageOf(acceptLanguage: string | undefined): 'en' | 'ru' {
  if (!acceptLanguage?.includes('ru')) return 'en';
  const first = acceptLanguage.split(',').find((part) => /^\s*(ru|en)\b/i.test(part));
  return first?.trim().toLowerCase().startsWith('ru') ? 'ru' : 'en';
}
