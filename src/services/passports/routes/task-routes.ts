import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { notFound } from '../../../base/api-error.ts';
import type { Files } from '../../../base/files.ts';
import { describeResponse, errorResponses, notModified } from '../../../http/envelope.ts';
import { matchesETag } from '../../../http/etag.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { versionTag } from '../../../http/if-match.ts';
import { isSandboxPrincipal } from '../../../http/sandbox-credential.ts';
import type { TaskStore } from '../../../tasks/store.ts';
import { queueOf } from '../../shared/sandbox/queue.ts';
import { preferredLanguage } from '../../shared/task-routes.ts';
import { presentTimeline } from '../../shared/timeline-schema.ts';
import { documentNotFound, statusNotFound } from '../api-errors.ts';
import {
  DocumentTimeline,
  History,
  ListQuery,
  PageParams,
  Result,
  TaskList,
  TaskParams,
  TaskStatus,
} from '../api-schema.ts';
import { callerOf } from '../auth/auth-guard.ts';
import { isCompleted } from '../documents.ts';
import { findPageImage } from '../page-images.ts';
import { presentFields } from '../present.ts';
import { toResult, toTaskItem, toTaskStatus, toUnfinishedResult } from '../responses.ts';
import type { Schema } from '../schema/schema.ts';
import type { DocumentStore } from '../store/postgres.ts';
import { recheckWarnings } from '../warnings.ts';
import { imageResponses, isImageCurrent } from './image-response.ts';

const POLL_SECONDS = '5';
const RETRY_AFTER = { 'Retry-After': 'Suggested seconds until the next poll.' };

export function taskRoutes(
  app: Gateway,
  deps: {
    documents: DocumentStore;
    tasks: Pick<TaskStore, 'readTimeline'>;
    files: Files;
    schema: Schema;
  },
): void {
  const { documents, tasks, files, schema } = deps;
  const config = { access: 'session' } as const;
  const described = { tags: ['documents'], params: TaskParams };

  async function openDocument(request: FastifyRequest<{ Params: Static<typeof TaskParams> }>) {
    const document = await documents.findWithResult(callerOf(request), taskIdOf(request));
    if (document === undefined) throw documentNotFound();
    return document;
  }

  app.get<{ Querystring: Static<typeof ListQuery> }>(
    '/api/tasks',
    {
      config,
      schema: {
        summary: 'List the tasks of the session',
        description: 'Newest first.',
        operationId: 'listTasks',
        tags: ['documents'],
        querystring: ListQuery,
        response: { 200: describeResponse('One page of them.', TaskList) },
      },
    },
    async (request) => {
      const { page, limit } = request.query;
      const { items, total } = await documents.list(callerOf(request).session, request.query);
      return { items: items.map(toTaskItem), total, page, limit };
    },
  );

  app.get<{ Params: Static<typeof TaskParams> }>(
    '/api/task/:task_id/status',
    {
      config,
      schema: {
        ...described,
        summary: 'State of a task',
        operationId: 'readStatus',
        response: { 200: describeResponse('The state.', TaskStatus), ...errorResponses(statusNotFound()) },
      },
    },
    async (request) => {
      const document = await documents.find(callerOf(request), taskIdOf(request));
      if (document === undefined) throw statusNotFound();
      return toTaskStatus(document);
    },
  );

  app.get<{ Params: Static<typeof TaskParams> }>(
    '/api/task/:task_id/result',
    {
      config,
      schema: {
        ...described,
        summary: 'Extraction result of a task',
        operationId: 'readResult',
        shown: {
          headers: {
            'If-None-Match': 'The `ETag` of your copy of the result.',
            'Accept-Language': 'The language of the labels: `en` or `ru`.',
          },
        },
        response: {
          200: describeResponse('The result, or the error of a failed task.', Result),
          202: describeResponse('Still queued or in progress.', Result, {}, RETRY_AFTER),
          304: notModified,
          ...errorResponses(documentNotFound()),
        },
      },
    },
    async (request, reply) => {
      const document = await openDocument(request);
      if (!isCompleted(document)) {
        if (document.errorType === null) {
          const isRehearsed = isSandboxPrincipal(callerOf(request).key);
          void reply.code(202).header('retry-after', isRehearsed ? '1' : POLL_SECONDS);
        }
        return toUnfinishedResult(document);
      }
      const language = preferredLanguage(request.headers['accept-language']);
      const body = JSON.stringify(toResult(recheckWarnings(document, schema), schema, language));
      const etag = versionTag(document.version, body);
      void reply.header('etag', etag).header('vary', 'Accept-Language');
      if (matchesETag(request.headers['if-none-match'], etag)) return reply.code(304).send();
      return reply.type('application/json; charset=utf-8').send(body);
    },
  );

  app.get<{ Params: Static<typeof TaskParams> }>(
    '/api/task/:task_id/history',
    {
      config,
      schema: {
        ...described,
        summary: 'The latest 1000 edits of a task, oldest first',
        operationId: 'readHistory',
        response: { 200: describeResponse('The edits.', History), ...errorResponses(documentNotFound()) },
      },
    },
    async (request) => {
      const entries = (await documents.history(callerOf(request), taskIdOf(request))) ?? [];
      const document = await openDocument(request);
      const fields = isCompleted(document) ? presentFields(document, schema) : [];
      const visibleKeys = new Map(fields.map(({ storedKey, key }) => [storedKey, key]));
      // A row that was emptied later has no visible number.
      return { items: entries.map(({ key, ...edit }) => ({ ...edit, field: visibleKeys.get(key) ?? key })) };
    },
  );

  app.get<{ Params: Static<typeof TaskParams> }>(
    '/api/task/:task_id/timeline',
    {
      config,
      schema: {
        ...described,
        summary: 'Timeline of a task',
        description: 'When the task was accepted, queued, claimed by a worker, repeated and ended, with the steps.',
        operationId: 'readTimeline',
        response: { 200: describeResponse('The timeline.', DocumentTimeline), ...errorResponses(documentNotFound()) },
      },
    },
    async (request) => {
      const document = await documents.find(callerOf(request), taskIdOf(request));
      const timeline = document && (await tasks.readTimeline(queueOf('passports', callerOf(request).key), document.id));
      if (timeline === undefined) throw documentNotFound();
      const { id, status } = document!;
      return { id, status, timeline: presentTimeline(timeline, (at) => at.toISOString()) };
    },
  );

  app.get<{ Params: Static<typeof PageParams> }>(
    '/api/task/:task_id/page/:page',
    {
      config,
      schema: {
        ...described,
        summary: 'Image of a page',
        description: 'A JPEG of the page as the PDF shows it.',
        shown: { headers: { 'If-None-Match': 'The `ETag` of your copy of the image.' } },
        operationId: 'readPage',
        params: PageParams,
        response: { ...imageResponses, ...errorResponses(documentNotFound(), notFound()) },
      },
    },
    async (request, reply) => {
      const document = await openDocument(request);
      const image = isCompleted(document) ? findPageImage(document, request.params.page, files) : undefined;
      if (image === undefined) throw notFound();
      if (isImageCurrent(request, reply, image.version)) return reply.code(304).send();
      const disconnected = new AbortController();
      reply.raw.once('close', () => disconnected.abort());
      const jpeg = await image.load(disconnected.signal).catch((error: unknown) => {
        if (!disconnected.signal.aborted) throw error;
      });
      if (disconnected.signal.aborted) return reply.hijack();
      if (jpeg === undefined) throw notFound();
      return reply.type('image/jpeg').send(jpeg);
    },
  );
}

export const taskIdOf = (request: { params: Static<typeof TaskParams> }) => request.params.task_id.toLowerCase();
