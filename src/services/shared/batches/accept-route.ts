import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import {
  badRequest,
  idempotencyKeyReused,
  payloadTooLarge,
  queueUnavailable,
  requestTimeout,
  unsupportedMediaType,
  validationError,
} from '../../../base/api-error.ts';
import { describeResponse, errorResponses, success } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { isSandboxPrincipal } from '../../../http/sandbox-credential.ts';
import { acceptUploads, readUpload } from '../../../http/upload.ts';
import { createValidators } from '../../../http/validation.ts';
import { checkUrlField, groupingFrom } from '../accept-task.ts';
import { acceptBatch } from './accept-batch.ts';
import { acceptArchive, commonFields } from './archive-batch.ts';
import { ARCHIVE_BODIES, ARCHIVE_TYPES, MAX_ARCHIVE_BYTES } from './archive-body.ts';
import { createArrivals, MAX_ARRIVING_ARCHIVES } from './arrivals.ts';
import { type BatchDeps, routeConfig } from './batch-deps.ts';
import { AcceptedBatch, acceptedExample, BatchQuery } from './batch-schema.ts';
import { collectItems } from './collect-items.ts';
import { createInvalidItems, type InvalidItems, invalidBatch, invalidItems, MAX_ITEMS } from './invalid-items.ts';
import { readCsvItems, readJsonLines } from './read-items.ts';

const MAX_BODY_BYTES = 32 * 2 ** 20;
/** Bounds the memory. */
const MAX_ARRIVING = { ofClient: 2, ofAll: 4 };
/** Of items; an archive may take as long as a request. */
const ARRIVAL_LIMIT_MS = 300_000;
const JSON_LINES = ['application/x-ndjson', 'application/jsonl'];

/** `POST /batches`. */
export async function acceptRoute(app: Gateway, options: BatchDeps): Promise<void> {
  const { service, deps, item, open, callbacks, archives } = options;
  const validate = createValidators()('body', item);
  const receiveItems = createArrivals(MAX_ARRIVING);
  const receiveArchive = createArrivals(MAX_ARRIVING_ARCHIVES);
  const expected = `application/x-ndjson${archives ? ', text/csv or application/zip' : ' or text/csv'}`;
  const common = archives ? commonFields(item, archives) : {};
  const Query = Type.Object({ ...BatchQuery.properties, ...common });

  function checkWebhook(url: unknown): void {
    if (url !== undefined) checkUrlField('webhook_url', String(url), callbacks);
  }

  /** The items of a request in JSON lines or CSV. */
  async function acceptItems(
    request: FastifyRequest,
    { isCsv, limit, invalid }: { isCsv: boolean; limit: number; invalid: InvalidItems },
  ) {
    const { webhook_url: webhookUrl, project, tag = [], name } = request.query as Static<typeof BatchQuery>;
    const grouping = groupingFrom({ project, tags: [tag].flat() });
    const { bytes: body } = await readUpload(request, { maxBytes: MAX_BODY_BYTES });
    const timeout = setTimeout(() => body.destroy(requestTimeout()), ARRIVAL_LIMIT_MS);
    try {
      const texts = isCsv ? readCsvItems(body, item) : readJsonLines(body);
      const items = await collectItems(texts, { validate, toTask: open(request), limit, invalid });
      const accepted = await acceptBatch(deps, request, { service, items, grouping, webhookUrl, name });
      return { ...accepted, total: items.length };
    } finally {
      clearTimeout(timeout);
    }
  }

  await app.register(async (scope) => {
    await acceptUploads(scope);
    scope.post<{ Querystring: Static<typeof BatchQuery> }>(
      '/batches',
      {
        config: routeConfig(options),
        bodyLimit: MAX_ARCHIVE_BYTES,
        schema: {
          summary: 'Create a batch of tasks',
          description: `One item per line, with the fields of a single request; the priority is \`batch\` by default. At most ${MAX_ITEMS} items and ${MAX_BODY_BYTES} bytes. Or a ZIP archive of files, one per item, of at most ${MAX_ARCHIVE_BYTES} bytes; the other fields, common to all items, are query parameters or multipart fields before the file. Accepted completely or, if any item is invalid, not at all; with \`skip_invalid\`, invalid items are left out.`,
          operationId: 'createBatch',
          tags: ['batches'],
          querystring: Query,
          shown: {
            body: {
              content: {
                'application/x-ndjson': { schema: { type: 'string', description: 'A JSON object per line.' } },
                'text/csv': {
                  schema: {
                    type: 'string',
                    description: 'A header with field names. Fields that are no text contain JSON, tags also `a; b`.',
                  },
                },
                ...(archives && ARCHIVE_BODIES),
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
              unsupportedMediaType(expected),
              invalidItems({ line: 37, message: '`image_url` is required.' }, INVALID_EXAMPLE),
              idempotencyKeyReused(),
              queueUnavailable(),
            ),
          },
        },
      },
      async (request, reply) => {
        if (isSandboxPrincipal(request.principal))
          throw invalidBatch('SANDBOX_HAS_NO_BATCHES', 'The sandbox has no batches.');
        checkWebhook(request.query.webhook_url);
        const [type = ''] = (request.headers['content-type'] ?? '').toLowerCase().split(';', 1);
        const limit = Math.min(MAX_ITEMS, deps.admission.maxWaiting(service));
        const invalid = createInvalidItems(request.query.skip_invalid);
        const accept = () => {
          const isCsv = type === 'text/csv';
          if (isCsv || JSON_LINES.includes(type)) {
            const field = Object.keys(request.query).find((name) => Object.hasOwn(common, name));
            if (field !== undefined) throw validationError(`${field}: for JSON lines and CSV it belongs in each item.`);
            return receiveItems(request.principal, () => acceptItems(request, { isCsv, limit, invalid }));
          }
          if (!archives || !(request.isMultipart() || ARCHIVE_TYPES.includes(type)))
            throw unsupportedMediaType(expected);
          return receiveArchive(request.principal, () =>
            acceptArchive(options, archives, request, { validate, limit, checkWebhook, invalid }),
          );
        };
        const { id, isReplayed, total, estimateSeconds } = await accept();
        const url = `/batches/${id}`;
        if (isReplayed) reply.header('idempotency-replayed', 'true');
        return reply
          .code(202)
          .header('location', url)
          .send(
            success({
              batch_id: id,
              status: 'in_progress',
              status_url: url,
              total,
              ...invalid.leftOut(),
              estimated_wait_seconds: estimateSeconds,
            }),
          );
      },
    );
  });
}

const INVALID_EXAMPLE = { invalid: 1, total: 100, items: [{ line: 37, message: '`image_url` is required.' }] };
