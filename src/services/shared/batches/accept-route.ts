import type { Static } from 'typebox';
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
import { checkUrlField } from '../accept-task.ts';
import { acceptBatch } from './accept-batch.ts';
import { type BatchDeps, ROUTE_CONFIG } from './batch-deps.ts';
import { AcceptedBatch, acceptedExample, BatchQuery } from './batch-schema.ts';
import { collectItems, invalidItems, MAX_ITEMS } from './collect-items.ts';
import { readCsvItems, readJsonLines } from './read-items.ts';

const MAX_BODY_BYTES = 32 * 2 ** 20;
/** Batches that arrive at the same time, of one client and of all: bounds the memory. */
const MAX_OF_CLIENT = 2;
const MAX_ARRIVING = 4;
const ARRIVAL_LIMIT_MS = 300_000;
const JSON_LINES = ['application/x-ndjson', 'application/jsonl'];
const EXPECTED = 'application/x-ndjson or text/csv';

/** `POST /batches`. */
export async function acceptRoute(app: Gateway, options: BatchDeps): Promise<void> {
  const { service, deps, item, open, callbacks } = options;
  const validate = createValidators()('body', item);
  const arriving: string[] = [];

  await app.register(async (scope) => {
    await acceptUploads(scope);
    scope.post<{ Querystring: Static<typeof BatchQuery> }>(
      '/batches',
      {
        config: ROUTE_CONFIG,
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
        const { webhook_url: webhookUrl } = request.query;
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
          const limit = Math.min(MAX_ITEMS, deps.admission.maxWaiting(service));
          const items = type === 'text/csv' ? readCsvItems(body, item) : readJsonLines(body);
          const wanted = await collectItems(items, { validate, toTask: open(request), limit });
          const accepted = await acceptBatch(deps, request, { service, items: wanted, webhookUrl });
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
}

const INVALID_EXAMPLE = { invalid: 1, total: 100, items: [{ line: 37, message: '`image_url` is required.' }] };
