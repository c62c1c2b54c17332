import type { Static } from 'typebox';
import { notFound } from '../../../base/faults.ts';
import type { Files } from '../../../base/files.ts';
import { reply as answer, notModified, refusal } from '../../../http/envelope.ts';
import { matches, weakETag } from '../../../http/etag.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { versionTag } from '../../../http/version-tag.ts';
import { languageOf } from '../../task-routes.ts';
import { callerOf } from '../auth/door.ts';
import { type Documents, isOpened } from '../documents.ts';
import { presentFields } from '../present.ts';
import { documentNotFound, statusNotFound } from '../refusals.ts';
import type { Schema } from '../schema/schema.ts';
import { History, ListQuery, PageParams, Result, TaskList, TaskParams, TaskStatus } from '../schema-http.ts';
import { judgedAnew } from '../warnings.ts';
import { result, taskItem, taskStatus, unfinished } from '../wire.ts';

const POLL_SECONDS = '5';

export function taskRoutes(
  app: Gateway,
  { documents, files, schema }: { documents: Documents; files: Files; schema: Schema },
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
        response: { 200: answer('One page of them.', TaskList) },
      },
    },
    async (request) => {
      const { page, limit, status } = request.query;
      const { items, total } = await documents.list(callerOf(request).session, {
        ...{ page, limit },
        ...(status !== undefined && { status }),
      });
      return { items: items.map(taskItem), total, page, limit };
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
        response: { 200: answer('The state.', TaskStatus), 404: refusal(statusNotFound()) },
      },
    },
    async (request) => {
      const document = await documents.find(callerOf(request), idOf(request));
      if (document === undefined) throw statusNotFound();
      return taskStatus(document);
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
          200: answer('The result, or the error of a failed task.', Result),
          202: answer(
            'Still queued or in progress.',
            Result,
            {},
            {
              'Retry-After': 'Suggested seconds until the next poll.',
            },
          ),
          304: notModified,
          404: refusal(documentNotFound()),
        },
      },
    },
    async (request, reply) => {
      const document = await documents.open(callerOf(request), idOf(request));
      if (document === undefined) throw documentNotFound();
      if (!isOpened(document)) {
        if (document.errorType === null) void reply.code(202).header('retry-after', POLL_SECONDS);
        return unfinished(document);
      }
      const body = JSON.stringify(
        result(await judgedAnew(document, schema), schema, languageOf(request.headers['accept-language'])),
      );
      const etag = versionTag(document.version, body);
      void reply.header('etag', etag).header('vary', 'Accept-Language');
      if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
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
        response: { 200: answer('The edits.', History), 404: refusal(documentNotFound()) },
      },
    },
    async (request) => {
      const [caller, id] = [callerOf(request), idOf(request)];
      const [entries, document] = [await documents.history(caller, id), await documents.open(caller, id)];
      if (entries === undefined || document === undefined) throw documentNotFound();
      const visibleKeys = isOpened(document)
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
          404: refusal(documentNotFound(), notFound()),
        },
      },
    },
    async (request, reply) => {
      const document = await documents.open(callerOf(request), idOf(request));
      if (document === undefined) throw documentNotFound();
      const key = isOpened(document) ? document.extraction.sheets[request.params.page - 1]?.picture : undefined;
      if (typeof key !== 'string') throw notFound();
      // A stored image never changes, but access to it does.
      const etag = weakETag(key);
      const headers = {
        etag,
        'cache-control': 'private, no-cache',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'same-origin',
      };
      if (matches(request.headers['if-none-match'], etag)) return reply.headers(headers).code(304).send();
      const picture = await files.stream(key);
      if (picture === undefined) throw notFound();
      return reply
        .headers({ ...headers, 'content-type': 'image/jpeg', 'content-length': picture.sizeBytes })
        .send(picture.stream);
    },
  );
}

export const idOf = (request: { params: Static<typeof TaskParams> }) => request.params.task_id.toLowerCase();
