import type { Static } from 'typebox';
import { notFound } from '../../../base/api-error.ts';
import type { Files } from '../../../base/files.ts';
import { describeErrors, describeResponse, notModified } from '../../../http/envelope.ts';
import { matchesETag, weakETag } from '../../../http/etag.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { versionTag } from '../../../http/if-match.ts';
import { preferredLanguage } from '../../shared/task-routes.ts';
import { documentNotFound, statusNotFound } from '../api-errors.ts';
import { History, ListQuery, PageParams, Result, TaskList, TaskParams, TaskStatus } from '../api-schema.ts';
import { callerOf } from '../auth/auth-guard.ts';
import { type DocumentStore, isCompleted } from '../documents.ts';
import { presentFields } from '../present.ts';
import { toResult, toTaskItem, toTaskStatus, toUnfinishedResult } from '../responses.ts';
import type { Schema } from '../schema/schema.ts';
import { recheckWarnings } from '../warnings.ts';

const POLL_SECONDS = '5';

export function taskRoutes(
  app: Gateway,
  { documents, files, schema }: { documents: DocumentStore; files: Files; schema: Schema },
): void {
  const config = { access: 'session' } as const;

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
      const { page, limit, status } = request.query;
      const { items, total } = await documents.list(callerOf(request).session, {
        ...{ page, limit },
        ...(status !== undefined && { status }),
      });
      return { items: items.map(toTaskItem), total, page, limit };
    },
  );

  app.get<{ Params: Static<typeof TaskParams> }>(
    '/api/task/:task_id/status',
    {
      config,
      schema: {
        summary: 'State of a task',
        operationId: 'readStatus',
        tags: ['documents'],
        params: TaskParams,
        response: { 200: describeResponse('The state.', TaskStatus), 404: describeErrors(statusNotFound()) },
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
        summary: 'Extraction result of a task',
        operationId: 'readResult',
        tags: ['documents'],
        params: TaskParams,
        shown: {
          headers: {
            'If-None-Match': 'The `ETag` of your copy of the result.',
            'Accept-Language': 'The language of the labels: `en` or `ru`.',
          },
        },
        response: {
          200: describeResponse('The result, or the error of a failed task.', Result),
          202: describeResponse(
            'Still queued or in progress.',
            Result,
            {},
            {
              'Retry-After': 'Suggested seconds until the next poll.',
            },
          ),
          304: notModified,
          404: describeErrors(documentNotFound()),
        },
      },
    },
    async (request, reply) => {
      const document = await documents.findWithResult(callerOf(request), taskIdOf(request));
      if (document === undefined) throw documentNotFound();
      if (!isCompleted(document)) {
        if (document.errorType === null) void reply.code(202).header('retry-after', POLL_SECONDS);
        return toUnfinishedResult(document);
      }
      const body = JSON.stringify(
        toResult(recheckWarnings(document, schema), schema, preferredLanguage(request.headers['accept-language'])),
      );
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
        summary: 'The latest 1000 edits of a task, oldest first',
        operationId: 'readHistory',
        tags: ['documents'],
        params: TaskParams,
        response: { 200: describeResponse('The edits.', History), 404: describeErrors(documentNotFound()) },
      },
    },
    async (request) => {
      const [caller, id] = [callerOf(request), taskIdOf(request)];
      const [entries, document] = [await documents.history(caller, id), await documents.findWithResult(caller, id)];
      if (entries === undefined || document === undefined) throw documentNotFound();
      const visibleKeys = isCompleted(document)
        ? new Map(presentFields(document, schema).map(({ storedKey, key }) => [storedKey, key]))
        : new Map<string, string>();
      return {
        items: entries.map(({ at, actor, key, from, to }) => ({
          at: at.toISOString(),
          actor,
          // A row that was emptied later has no visible number.
          field: visibleKeys.get(key) ?? key,
          from,
          to,
        })),
      };
    },
  );

  app.get<{ Params: Static<typeof PageParams> }>(
    '/api/task/:task_id/page/:page',
    {
      config,
      schema: {
        summary: 'Image of a page',
        description: 'A JPEG of the page as the PDF shows it.',
        shown: { headers: { 'If-None-Match': 'The `ETag` of your copy of the image.' } },
        operationId: 'readPage',
        tags: ['documents'],
        params: PageParams,
        response: {
          200: {
            description: 'The image.',
            content: { 'image/jpeg': { schema: { type: 'string', format: 'binary' } } },
          },
          304: notModified,
          404: describeErrors(documentNotFound(), notFound()),
        },
      },
    },
    async (request, reply) => {
      const document = await documents.findWithResult(callerOf(request), taskIdOf(request));
      if (document === undefined) throw documentNotFound();
      const key = isCompleted(document) ? document.extraction.sheets[request.params.page - 1]?.picture : undefined;
      if (typeof key !== 'string') throw notFound();
      // A stored image never changes, but access to it does.
      const etag = weakETag(key);
      const headers = {
        etag,
        'cache-control': 'private, no-cache',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'same-origin',
      };
      if (matchesETag(request.headers['if-none-match'], etag)) return reply.headers(headers).code(304).send();
      const picture = await files.stream(key);
      if (picture === undefined) throw notFound();
      return reply
        .headers({ ...headers, 'content-type': 'image/jpeg', 'content-length': picture.sizeBytes })
        .send(picture.stream);
    },
  );
}

export const taskIdOf = (request: { params: Static<typeof TaskParams> }) => request.params.task_id.toLowerCase();
