import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import {
  badRequest,
  idempotencyInProgress,
  idempotencyKeyReused,
  payloadTooLarge,
  queueUnavailable,
  unsupportedMediaType,
  validationError,
} from '../../../base/api-error.ts';
import type { Files } from '../../../base/files.ts';
import { newId } from '../../../base/ids.ts';
import { describeResponse, errorResponses, success } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { isSandboxPrincipal } from '../../../http/sandbox-credential.ts';
import { acceptUploads, readUpload } from '../../../http/upload.ts';
import { batchQueue } from '../../../tasks/batch-queue.ts';
import type { NewTask } from '../../../tasks/store.ts';
import { checkUrlField, groupingFrom, type TaskDeps } from '../../shared/accept-task.ts';
import { ARCHIVE_BODIES, ARCHIVE_TYPES, MAX_ARCHIVE_BYTES } from '../../shared/batches/archive-body.ts';
import { checkArchive, putFiles, receiveArchive, unpackedBytes } from '../../shared/batches/archive-items.ts';
import { createArrivals, MAX_ARRIVING_ARCHIVES } from '../../shared/batches/arrivals.ts';
import { AcceptedBatch, acceptedExample, BatchQuery } from '../../shared/batches/batch-schema.ts';
import { changeRoutes } from '../../shared/batches/change-routes.ts';
import {
  createInvalidItems,
  type InvalidItem,
  type InvalidItems,
  invalidBatch,
  invalidItems,
  MAX_ITEMS,
} from '../../shared/batches/invalid-items.ts';
import { type BatchInput, batchName } from '../../shared/batches/present-batch.ts';
import { readRoutes } from '../../shared/batches/read-routes.ts';
import { type Grouping, withGrouping } from '../../shared/grouping.ts';
import type { IdempotencyStore } from '../../shared/idempotency-store.ts';
import { keepFilesIfCommitted } from '../../shared/keep-files-if-committed.ts';
import type { GatewayContext } from '../../shared/service.ts';
import { preferredLanguage } from '../../shared/task-routes.ts';
import { webhookPolicy } from '../../shared/webhook-policy.ts';
import { quotaExceeded } from '../api-errors.ts';
import { callerOf } from '../auth/auth-guard.ts';
import { sanitizeDisplayName } from '../display-name.ts';
import { isCompleted, principalOf } from '../documents.ts';
import { PERMANENT_ERRORS } from '../failures.ts';
import { toResult, toUnfinishedResult } from '../responses.ts';
import { everyField } from '../schema/keys.ts';
import type { Schema } from '../schema/schema.ts';
import type { DocumentStore } from '../store/postgres.ts';
import { SERVICE } from '../store/rows.ts';
import { presentTask } from '../store/status.ts';
import { summarizeDocuments } from '../summaries.ts';
import { recheckWarnings } from '../warnings.ts';
import { createDocuments } from './create-documents.ts';
import { isPdf, PDF_LIMITS } from './upload-route.ts';

const PDFS = {
  maxBytes: PDF_LIMITS.maxFileBytes,
  sniff: (head: Buffer) => (isPdf(head) ? 'application/pdf' : undefined),
  expected: 'a PDF',
};
const EXPECTED = 'application/zip';
const CONFIG = { access: 'bearer' } as const;

/** Without a measured rate. Chosen: a scanned document of a few pages, and the start of a worker. */
const ESTIMATE = { warmSeconds: 30, coldSeconds: 60 };

interface ResultBody {
  readonly fields?: Readonly<Record<string, { readonly value: unknown }>>;
  readonly project?: string;
  readonly tags?: readonly string[];
}

interface DocumentBatchDeps {
  readonly context: GatewayContext;
  readonly deps: TaskDeps;
  readonly replies: IdempotencyStore;
  readonly documents: DocumentStore;
  readonly files: Files;
  readonly schema: Schema;
  readonly cacheKey: (contentHash: string) => string;
}

/** `/batches`: the documents of an archive. */
export async function batchRoutes(app: Gateway, options: DocumentBatchDeps): Promise<void> {
  const { context, deps, documents, schema } = options;
  const columns = [...everyField(schema)].map(({ key }) => key);
  const shared = {
    ...{ service: SERVICE, context, deps, ownTasksOnly: true, config: CONFIG, estimateSettings: ESTIMATE },
    clientOf: (request: FastifyRequest) => callerOf(request).key,
    retry: { final: PERMANENT_ERRORS, within: documents.touch },
    async present(task: Parameters<typeof presentTask>[0], request: FastifyRequest) {
      const document = await documents.findWithResult(callerOf(request), task.id);
      if (document === undefined) return presentTask(task);
      if (!isCompleted(document)) return JSON.stringify(toUnfinishedResult(document));
      const language = preferredLanguage(request.headers['accept-language']);
      return JSON.stringify(toResult(recheckWarnings(document, schema), schema, language));
    },
    summarize: summarizeDocuments(documents, schema),
    table: {
      columns,
      cells(body: string) {
        const { fields = {}, project, tags } = JSON.parse(body) as ResultBody;
        const values = Object.entries(fields).map(([key, { value }]) => [key, value]);
        return { ...Object.fromEntries(values), project, tags };
      },
    },
  };
  await app.register(async (scope) => {
    await acceptUploads(scope);
    acceptRoute(scope, options);
  });
  readRoutes(app, shared);
  changeRoutes(app, shared);
}

/** `app` accepts unparsed bodies. */
function acceptRoute(app: Gateway, options: DocumentBatchDeps): void {
  const { deps, context, files, documents, replies } = options;
  const receive = createArrivals(MAX_ARRIVING_ARCHIVES);
  app.post<{ Querystring: Static<typeof BatchQuery> }>(
    '/batches',
    {
      config: CONFIG,
      bodyLimit: MAX_ARCHIVE_BYTES,
      schema: {
        summary: 'Create a task for each PDF of a ZIP archive',
        description: `At most ${MAX_ITEMS} files and ${MAX_ARCHIVE_BYTES} bytes. Accepted completely or, if any file is invalid, not at all; with \`skip_invalid\`, invalid files are left out.`,
        operationId: 'createBatch',
        tags: ['batches'],
        querystring: BatchQuery,
        shown: {
          body: { content: ARCHIVE_BODIES },
          headers: {
            'Idempotency-Key':
              'A repeated request with the same key and files within 24 hours returns the first batch.',
          },
        },
        response: {
          202: describeResponse(
            'All documents are queued.',
            AcceptedBatch,
            { accepted: success(acceptedExample) },
            { Location: 'Same as `status_url`.' },
          ),
          ...errorResponses(
            badRequest(),
            payloadTooLarge(MAX_ARCHIVE_BYTES),
            quotaExceeded(),
            unsupportedMediaType(EXPECTED),
            invalidItems(INVALID_EXAMPLE.items[0]!, INVALID_EXAMPLE),
            idempotencyInProgress(),
            idempotencyKeyReused(),
            queueUnavailable(),
          ),
        },
      },
    },
    async (request, reply) => {
      const { principal, query } = request;
      if (isSandboxPrincipal(callerOf(request).key))
        throw invalidBatch('SANDBOX_HAS_NO_BATCHES', 'The sandbox has no batches.');
      const [type = ''] = (request.headers['content-type'] ?? '').toLowerCase().split(';', 1);
      if (!request.isMultipart() && !ARCHIVE_TYPES.includes(type)) throw unsupportedMediaType(EXPECTED);
      const { webhook_url: webhookUrl, project, tag = [], skip_invalid: skip } = query;
      const grouping = groupingFrom({ project, tags: [tag].flat() });
      if (webhookUrl !== undefined) checkUrlField('webhook_url', webhookUrl, webhookPolicy(deps.shared));
      const limit = Math.min(MAX_ITEMS, deps.admission.maxWaiting(SERVICE));
      const { status, body } = await receive(principal, async () => {
        const { bytes, fields = {} } = await readUpload(request, { maxBytes: MAX_ARCHIVE_BYTES });
        const [field] = Object.keys(fields);
        if (field !== undefined) throw validationError(`${field}: project, tag and webhook_url are query parameters.`);
        const { dataDir } = deps.shared;
        return receiveArchive(bytes, dataDir, async (archive) => {
          const invalid = createInvalidItems(skip);
          const checked = await checkArchive(archive, PDFS, { maxFiles: limit, invalid });
          const caller = callerOf(request);
          if (!(await replies.isUsed(request, principalOf(caller))))
            await documents.requireRoom(caller, unpackedBytes(checked));
          const keys: string[] = [];
          const stored = await keepFilesIfCommitted(keys, context, () =>
            putFiles(archive, checked, { files, dataDir, maxBytes: PDFS.maxBytes, keys, invalid }),
          );
          return storeBatch(options, request, reply, { stored, webhookUrl, grouping, invalid });
        });
      });
      const { status_url: url } = body['data'] as { status_url: string };
      return reply
        .code(status as 202)
        .header('location', url)
        .send(body as never);
    },
  );
}

/** Stores the documents, their tasks and the batch in one transaction; deletes the files if that fails. */
async function storeBatch(
  { deps, replies, documents, cacheKey, files }: DocumentBatchDeps,
  request: FastifyRequest<{ Querystring: Static<typeof BatchQuery> }>,
  reply: FastifyReply,
  {
    stored,
    webhookUrl,
    grouping,
    invalid,
  }: {
    stored: Awaited<ReturnType<typeof putFiles>>;
    webhookUrl: string | undefined;
    grouping: Grouping | undefined;
    invalid: InvalidItems;
  },
) {
  const { tasks, admission, estimates } = deps;
  const caller = callerOf(request);
  const keys = stored.map(({ key }) => key);
  const names = stored.map(({ name }) => name);
  const id = newId();
  const input: BatchInput = {
    total: stored.length,
    ...batchName(names, request.query.name),
    ...(grouping && { isGrouped: true }),
  };
  const batch: NewTask = {
    id,
    service: batchQueue(SERVICE),
    priority: 'batch',
    input: withGrouping({ ...input }, grouping),
    estimateSeconds: 0,
    principal: request.principal,
    requestId: request.id,
    ...(webhookUrl !== undefined && { webhook: { deliveryId: newId('whd_'), url: webhookUrl } }),
  };
  const fingerprint = hash(
    'sha256',
    JSON.stringify([webhookUrl, grouping, ...stored.map((file) => [file.name, file.sha256])]),
  );
  const discard = async () => void (await Promise.all(keys.map((key) => files.remove(key))));
  const newDocuments = stored.map(({ key, name, sizeBytes, sha256 }) => ({
    filename: sanitizeDisplayName(name, 'document.pdf'),
    fileKey: key,
    sizeBytes,
    cacheKey: cacheKey(sha256),
  }));
  let isOwned = false;
  const operation = { principal: principalOf(caller), fingerprint, onReplay: discard };
  return replies
    .runOnce(request, reply, operation, async (keep) => {
      isOwned = true;
      const owner = admission.ownerOf(SERVICE, caller.key ?? request.principal);
      const waits = stored.map((_, precededBy) => {
        const task = { service: SERVICE, priority: 'batch' as const, owner, precededBy };
        return estimates.estimate(task, ESTIMATE).seconds;
      });
      const answer = {
        status: 202,
        body: success({
          ...{ batch_id: id, status: 'in_progress', status_url: `/batches/${id}`, total: stored.length },
          ...invalid.leftOut(),
          estimated_wait_seconds: Math.max(...waits),
        }),
      };
      const within: Parameters<typeof createDocuments>[4] = async (tx, created) => {
        await tasks.batches.acceptWithin(tx, batch, { service: SERVICE, ids: created.map((each) => each.id), names });
        await keep(tx, answer);
      };
      await createDocuments(documents, request, caller, { newDocuments, grouping }, within, 'batch');
      return answer;
    })
    .catch(async (error: unknown) => {
      // `create` takes over the files.
      if (!isOwned) await discard();
      throw error;
    });
}

const NOT_PDF: InvalidItem = { name: 'a.txt', code: 'UNSUPPORTED_MEDIA_TYPE', message: 'The file is not a PDF.' };
const INVALID_EXAMPLE = { invalid: 1, total: 40, items: [NOT_PDF] };
