import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Static, TObject } from 'typebox';
import {
  badRequest,
  batchNotCompleted,
  batchNotFound,
  idempotencyKeyReused,
  payloadTooLarge,
  queueUnavailable,
  requestTimeout,
  unsupportedMediaType,
  validationError,
} from '../../../base/api-error.ts';
import type { UrlPolicy } from '../../../base/outbound-url.ts';
import { describeErrors, describeResponse, errorResponses, headersOf, success } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { isSandboxPrincipal } from '../../../http/sandbox-credential.ts';
import { acceptUploads, readUpload } from '../../../http/upload.ts';
import { createValidators } from '../../../http/validation.ts';
import { batchQueue } from '../../../tasks/batch-queue.ts';
import type { Task } from '../../../tasks/task.ts';
import { checkUrlField, groupingFrom, type TaskDeps } from '../accept-task.ts';
import type { GatewayContext } from '../service.ts';
import { acceptBatch } from './accept-batch.ts';
import {
  AcceptedBatch,
  acceptedExample,
  Batch,
  BatchesQuery,
  BatchList,
  BatchParams,
  BatchQuery,
  batchExample,
  Cancelled,
  ItemList,
  ItemsQuery,
  itemExample,
  ResultsQuery,
  Retried,
} from './batch-schema.ts';
import { collectItems, invalidItems, MAX_ITEMS, type ToTask } from './collect-items.ts';
import { type BatchInput, presentBatch, storedSummary } from './present-batch.ts';
import { readCsvItems, readJsonLines } from './read-items.ts';
import { GROUPING_COLUMNS, RESULT_FORMATS, type ResultFormat, readResults } from './results.ts';

const MAX_BODY_BYTES = 32 * 2 ** 20;
/** Batches that arrive at the same time, of one client and of all: bounds the memory. */
const MAX_OF_CLIENT = 2;
const MAX_ARRIVING = 4;
const ARRIVAL_LIMIT_MS = 300_000;
const JSON_LINES = ['application/x-ndjson', 'application/jsonl'];
const EXPECTED = 'application/x-ndjson or text/csv';

export interface BatchDeps {
  readonly service: string;
  readonly context: Pick<GatewayContext, 'onCancelled'>;
  readonly deps: TaskDeps;
  /** The body of a single request. */
  readonly item: TObject;
  /** Creates the checks of one request's items. */
  readonly open: (request: FastifyRequest) => ToTask;
  /** The body of `GET /result/{task_id}`. */
  readonly present: (task: Task) => string;
  /** The members of a result: the columns of tables. */
  readonly result: TObject;
  readonly callbacks: UrlPolicy;
  /** A token reads only the batches that were created with it. */
  readonly ownTasksOnly: boolean;
}

/** Adds `/batches`: many tasks in one request. */
export async function batchRoutes(app: Gateway, options: BatchDeps): Promise<void> {
  const { service, context, deps, item, open, present, callbacks, ownTasksOnly } = options;
  const { tasks, admission } = deps;
  const { batches } = tasks;
  const config = { access: 'task', limited: true } as const;
  const described = { tags: ['batches'], params: BatchParams };
  const validate = createValidators()('body', item);
  const arriving: string[] = [];

  /** A batch of another principal is hidden if `ownTasksOnly`, and every batch from sandbox credentials. */
  async function requireBatch({ params, principal }: FastifyRequest): Promise<Task> {
    if (isSandboxPrincipal(principal)) throw batchNotFound();
    const { batch_id: id } = params as Static<typeof BatchParams>;
    const task = /^[A-Za-z0-9_-]{1,64}$/.test(id) ? await tasks.read(batchQueue(service), id) : undefined;
    if (!task || (ownTasksOnly && task.principal !== principal)) throw batchNotFound();
    return task;
  }

  const toJson = async (task: Task) => presentBatch(task, storedSummary(task) ?? (await batches.summary(task.id)));

  await app.register(async (scope) => {
    await acceptUploads(scope);
    scope.post<{ Querystring: Static<typeof BatchQuery> }>(
      '/batches',
      {
        config,
        bodyLimit: MAX_BODY_BYTES,
        schema: {
          summary: 'Create a batch of tasks',
          description: `One item per line, with the fields of a single request; the priority is \`batch\` by default. At most ${MAX_ITEMS} items and ${MAX_BODY_BYTES} bytes. Accepted completely or, if any item is invalid, not at all.`,
          operationId: 'createBatch',
          tags: ['batches'],
          querystring: BatchQuery,
          shown: {
            body: {
              content: {
                'application/x-ndjson': { schema: { type: 'string', description: 'A JSON object per line.' } },
                'text/csv': {
                  schema: {
                    type: 'string',
                    description: 'A header with field names. Fields that are no text contain JSON.',
                  },
                },
              },
            },
            headers: {
              'Idempotency-Key':
                'A repeated request with the same key and body returns the first batch while it is kept.',
            },
          },
          response: {
            202: describeResponse(
              'All items are queued.',
              AcceptedBatch,
              { accepted: success(acceptedExample) },
              {
                Location: 'Same as `status_url`.',
                'Idempotency-Replayed': '`true` if an earlier request with the same key created the batch.',
              },
            ),
            ...errorResponses(
              badRequest(),
              payloadTooLarge(MAX_BODY_BYTES),
              unsupportedMediaType(EXPECTED),
              invalidItems({ line: 37, message: '`image_url` is required.' }, INVALID_EXAMPLE),
              idempotencyKeyReused(),
              queueUnavailable(),
            ),
          },
        },
      },
      async (request, reply) => {
        if (isSandboxPrincipal(request.principal)) throw validationError('The sandbox has no batches.');
        const { webhook_url: webhookUrl, project, tag = [] } = request.query;
        const grouping = groupingFrom({ project, tags: [tag].flat() });
        if (webhookUrl !== undefined) checkUrlField('webhook_url', webhookUrl, callbacks);
        const [type = ''] = (request.headers['content-type'] ?? '').toLowerCase().split(';', 1);
        if (type !== 'text/csv' && !JSON_LINES.includes(type)) throw unsupportedMediaType(EXPECTED);
        const { principal } = request;
        const ofClient = arriving.filter((each) => each === principal).length;
        if (ofClient >= MAX_OF_CLIENT || arriving.length >= MAX_ARRIVING) {
          throw queueUnavailable('Other batches are being received; nothing was accepted.');
        }
        arriving.push(principal);
        let timeout: NodeJS.Timeout | undefined;
        try {
          const { bytes: body } = await readUpload(request, { maxBytes: MAX_BODY_BYTES });
          timeout = setTimeout(() => body.destroy(requestTimeout()), ARRIVAL_LIMIT_MS);
          const limit = Math.min(MAX_ITEMS, admission.maxWaiting(service));
          const items = type === 'text/csv' ? readCsvItems(body, item) : readJsonLines(body);
          const wanted = await collectItems(items, { validate, toTask: open(request), limit });
          const accepted = await acceptBatch(deps, request, { service, items: wanted, grouping, webhookUrl });
          const url = `/batches/${accepted.id}`;
          if (accepted.isReplayed) reply.header('idempotency-replayed', 'true');
          return await reply
            .code(202)
            .header('location', url)
            .send(
              success({
                batch_id: accepted.id,
                status: 'in_progress',
                status_url: url,
                total: wanted.length,
                estimated_wait_seconds: accepted.estimateSeconds,
              }),
            );
        } finally {
          clearTimeout(timeout);
          arriving.splice(arriving.indexOf(principal), 1);
        }
      },
    );
  });

  app.get<{ Querystring: Static<typeof BatchesQuery> }>(
    '/batches',
    {
      config,
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
      const page: Awaited<ReturnType<typeof toJson>>[] = [];
      // One after another: the summary of an unfinished batch reads all of its items.
      for (const task of found) if (task) page.push(await toJson(task));
      const next = ids.length > limit ? ids[limit - 1] : undefined;
      return success({ batches: page, ...(next !== undefined && { next }) });
    },
  );

  app.get(
    '/batches/:batch_id',
    {
      config,
      schema: {
        ...described,
        summary: 'State of a batch',
        description: 'The number of items in each state, and the first errors.',
        operationId: 'readBatch',
        response: {
          200: describeResponse('The state.', Batch, { batch: success(batchExample) }),
          404: describeErrors(batchNotFound()),
        },
      },
    },
    async (request) => success(await toJson(await requireBatch(request))),
  );

  app.get<{ Querystring: Static<typeof ItemsQuery> }>(
    '/batches/:batch_id/items',
    {
      config,
      schema: {
        ...described,
        summary: 'Items of a batch',
        description: 'The tasks of the batch in the order of the request. Read a result with `GET /result/{task_id}`.',
        operationId: 'listBatchItems',
        querystring: ItemsQuery,
        response: {
          200: describeResponse('The items.', ItemList, { items: success({ items: [itemExample] }) }),
          404: describeErrors(batchNotFound()),
        },
      },
    },
    async (request) => {
      const { id } = await requireBatch(request);
      const { after, limit } = request.query;
      const found = await batches.items(id, after, limit + 1);
      const items = found.slice(0, limit).map(({ position, task_id, status, grouping, error, error_code }) => ({
        ...{ position, task_id, status: status ?? ('deleted' as const), ...grouping },
        ...(error !== null && { error }),
        ...(error_code !== null && { error_code }),
      }));
      return success({ items, ...(found.length > limit && { next: items.at(-1)!.position }) });
    },
  );

  const columns = Object.keys(options.result.properties);
  app.get<{ Querystring: Static<typeof ResultsQuery> }>(
    '/batches/:batch_id/results',
    {
      config,
      schema: {
        ...described,
        summary: 'Results of a completed batch',
        description:
          'In the order of the request. A line of `jsonl` has the `position` of an item and, as `result`, the body of `GET /result/{task_id}`.',
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
          404: describeErrors(batchNotFound()),
          409: describeErrors(batchNotCompleted()),
        },
      },
    },
    async (request, reply) => {
      const { id, status, inputText } = await requireBatch(request);
      if (status !== 'done') throw batchNotCompleted();
      const { isGrouped } = JSON.parse(inputText) as BatchInput;
      const { format } = request.query;
      const { mediaType, bytes }: ResultFormat = RESULT_FORMATS[format];
      reply.type(mediaType).header('content-disposition', `attachment; filename="${id}.${format}"`);
      if (request.method === 'HEAD') return reply.send(Readable.from([]));
      const results = readResults(tasks, { service, batchId: id, present });
      return reply.send(
        Readable.from(bytes(results, columns, isGrouped ? GROUPING_COLUMNS : []), { objectMode: false }),
      );
    },
  );

  app.post(
    '/batches/:batch_id/cancel',
    {
      config,
      schema: {
        ...described,
        summary: 'Cancel a batch',
        description:
          'Its unfinished items end as `failed` with `error_code` CANCELLED. Repeat the request if it was interrupted.',
        operationId: 'cancelBatch',
        response: {
          200: describeResponse('The number of cancelled items.', Cancelled, {
            cancelled: success({ batch_id: batchExample.batch_id, cancelled: 120 }),
          }),
          404: describeErrors(batchNotFound()),
        },
      },
    },
    async (request) => {
      const { id } = await requireBatch(request);
      const cancelled = await batches.cancel(id);
      if (cancelled.length > 0) tasks.hint('finished');
      context.onCancelled(service, cancelled.length);
      return success({ batch_id: id, cancelled: cancelled.length });
    },
  );

  app.post(
    '/batches/:batch_id/retry',
    {
      config,
      schema: {
        ...described,
        summary: 'Retry the failed items of a batch',
        description:
          'Queues the failed items of a completed batch again, with the same task ids, except cancelled ones and those with a webhook of their own. The batch is in progress again and sends no second webhook.',
        operationId: 'retryBatch',
        response: {
          200: describeResponse('The number of queued items.', Retried, {
            retried: success({ batch_id: batchExample.batch_id, retried: 1 }),
          }),
          404: describeErrors(batchNotFound()),
          409: describeErrors(batchNotCompleted()),
        },
      },
    },
    async (request) => {
      const batch = await requireBatch(request);
      const { id } = batch;
      const failed = storedSummary(batch)?.counts.failed;
      if (failed === undefined) throw batchNotCompleted();
      const owner = admission.ownerOf(service, batch.principal);
      const releasePermit = admission.reserve(service, 'batch', owner, failed, failed);
      if (!releasePermit) throw admission.queueFullError(service, owner, failed);
      const retried = await batches.retry(id).finally(() => releasePermit(false));
      if (retried === undefined) throw batchNotCompleted();
      if (retried > 0) tasks.hint(`waiting:${service}`);
      return success({ batch_id: id, retried });
    },
  );
}

const INVALID_EXAMPLE = { invalid: 1, total: 100, items: [{ line: 37, message: '`image_url` is required.' }] };
