import { Readable } from 'node:stream';
import type { Static } from 'typebox';
import { batchNotCompleted, batchNotFound, validationError } from '../../../base/api-error.ts';
import { describeResponse, errorResponses, headersOf, success } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { batchQueue } from '../../../tasks/batch-queue.ts';
import type { Task } from '../../../tasks/task.ts';
import { preferredLanguage } from '../task-routes.ts';
import { type BatchAccess, ofBatch, requireBatch, routeConfig } from './batch-deps.ts';
import {
  Batch,
  BatchesQuery,
  BatchList,
  batchExample,
  ItemList,
  ItemsQuery,
  itemExample,
  MAX_SUMMARIES,
  ResultsQuery,
} from './batch-schema.ts';
import { type BatchInput, presentBatch, storedSummary } from './present-batch.ts';
import { GROUPING_COLUMNS, itemColumns, RESULT_FORMATS, type ResultFormat, readResults } from './results.ts';

/** The state, the items and the results of batches. */
export function readRoutes(app: Gateway, options: BatchAccess): void {
  const { service, present, table, estimateSettings } = options;
  const { tasks, estimates } = options.deps;
  const { batches } = tasks;
  async function toJson(found: readonly Task[]) {
    const unfinished = found.filter((task) => storedSummary(task) === undefined).map(({ id }) => id);
    const summaries = unfinished.length > 0 ? await batches.summaries(unfinished) : undefined;
    return found.map((task) => {
      const stored = storedSummary(task);
      if (stored) return presentBatch(task, stored);
      const summary = summaries!.get(task.id)!;
      return presentBatch(task, summary, estimates.remaining(service, summary, estimateSettings));
    });
  }

  app.get<{ Querystring: Static<typeof BatchesQuery> }>(
    '/batches',
    {
      config: routeConfig(options),
      schema: {
        summary: 'Your batches',
        description: 'The batches that this credential created, newest first.',
        operationId: 'listBatches',
        tags: ['batches'],
        querystring: BatchesQuery,
        response: {
          200: describeResponse('The batches.', BatchList, { batches: success({ batches: [batchExample] }) }),
        },
      },
    },
    async ({ principal, query: { before, limit, project, tag } }) => {
      const ids = await batches.list(service, principal, limit + 1, { before, project, tag });
      const found = await Promise.all(ids.slice(0, limit).map((id) => tasks.read(batchQueue(service), id)));
      const page = await toJson(found.flatMap((task) => task ?? []));
      const next = ids.length > limit ? ids[limit - 1] : undefined;
      return success({ batches: page, ...(next !== undefined && { next }) });
    },
  );

  app.get(
    '/batches/:batch_id',
    {
      config: routeConfig(options),
      schema: {
        ...ofBatch,
        summary: 'State of a batch',
        description:
          'The number of items in each state, the estimated time until the last one ends, and the first errors.',
        operationId: 'readBatch',
        response: {
          200: describeResponse('The state.', Batch, { batch: success(batchExample) }),
          ...errorResponses(batchNotFound()),
        },
      },
    },
    async (request) => success((await toJson([await requireBatch(options, request)]))[0]!),
  );

  app.get<{ Querystring: Static<typeof ItemsQuery> }>(
    '/batches/:batch_id/items',
    {
      config: routeConfig(options),
      schema: {
        ...ofBatch,
        summary: 'Items of a batch',
        description: 'The tasks of the batch in the order of the request. Read a result with `GET /result/{task_id}`.',
        operationId: 'listBatchItems',
        querystring: ItemsQuery,
        response: {
          200: describeResponse('The items.', ItemList, { items: success({ items: [itemExample] }) }),
          ...errorResponses(batchNotFound()),
        },
      },
    },
    async (request) => {
      const { status: state, after, limit, summary } = request.query;
      if (summary && limit > MAX_SUMMARIES)
        throw validationError(`limit: with summary=true, at most ${MAX_SUMMARIES}.`);
      const { id } = await requireBatch(options, request);
      const found = await batches.items(id, after, limit + 1, state);
      const page = found.slice(0, limit);
      const done = page.filter(({ status }) => summary && status === 'done').map((item) => item.task_id);
      const language = preferredLanguage(request.headers['accept-language']);
      const summaries = done.length > 0 ? await options.summarize(done, language, request) : undefined;
      const items = page.map(({ position, task_id, name, status, grouping, error, error_code }) => ({
        ...{ position, task_id, ...(name !== null && { name }), status: status ?? ('deleted' as const), ...grouping },
        ...(error !== null && { error }),
        ...(error_code !== null && { error_code }),
        ...(summaries?.has(task_id) && { summary: summaries.get(task_id)! }),
      }));
      return success({ items, ...(found.length > limit && { next: items.at(-1)!.position }) });
    },
  );

  app.get<{ Querystring: Static<typeof ResultsQuery> }>(
    '/batches/:batch_id/results',
    {
      config: routeConfig(options),
      schema: {
        ...ofBatch,
        summary: 'Results of a completed batch',
        description:
          'In the order of the request. A line of `jsonl` has the `position` of an item, the `name` of the file of an archive, and, as `result`, the body of the result of its task.',
        operationId: 'readBatchResults',
        querystring: ResultsQuery,
        response: {
          200: {
            description: 'The results.',
            headers: headersOf({ 'Content-Disposition': 'The file name.' }),
            content: Object.fromEntries(
              Object.values(RESULT_FORMATS).map(({ mediaType }) => [
                mediaType.split(';')[0]!,
                { schema: { type: 'string' } },
              ]),
            ),
          },
          ...errorResponses(batchNotFound(), batchNotCompleted()),
        },
      },
    },
    async (request, reply) => {
      const { id, status, inputText } = await requireBatch(options, request);
      if (status !== 'done') throw batchNotCompleted();
      const { isGrouped } = JSON.parse(inputText) as BatchInput;
      const { format } = request.query;
      const { mediaType, bytes }: ResultFormat = RESULT_FORMATS[format];
      reply.type(mediaType).header('content-disposition', `attachment; filename="${id}.${format}"`);
      if (request.method === 'HEAD') return reply.send(Readable.from([]));
      const open = () => readResults(tasks, { service, batchId: id, present: (task) => present(task, request) });
      const [first] = await batches.items(id, 0, 1);
      const ofItem = itemColumns(typeof first?.name === 'string');
      const ofResult = [...table.columns, ...(isGrouped ? GROUPING_COLUMNS : [])];
      return reply.send(Readable.from(bytes(open, { ofItem, ofResult }, table.cells), { objectMode: false }));
    },
  );
}
