import { type Static, Type } from 'typebox';
import type { Db } from '../../../base/db.ts';
import { describeResponse, errorResponses } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import type { WorkerRegistry } from '../../../tasks/worker-registry.ts';
import { csrfFailed } from '../../shared/same-site.ts';
import { preferredLanguage } from '../../shared/task-routes.ts';
import { cleanupRunning, databaseUnavailable, forbidden, llmUnavailable, workersOffline } from '../api-errors.ts';
import { CleanedUp, CleanupQuery, DeepHealth, Flag, isTrue } from '../api-schema.ts';
import { adminOf, callerOf } from '../auth/auth-guard.ts';
import type { LlmHealth } from '../llm/health.ts';
import { loadQuality } from '../quality.ts';
import type { Schema } from '../schema/schema.ts';
import { FailedQuery, FailedStats, QualityQuery, QualityStats } from '../statistics-schema.ts';
import type { DocumentStore } from '../store/postgres.ts';

const DATABASE_LIMIT_MS = 3000;
const HealthQuery = Type.Object({ strict: Type.Optional(Flag) });

export function adminRoutes(
  app: Gateway,
  deps: {
    db: Db;
    documents: DocumentStore;
    schema: Schema;
    workerRegistry: WorkerRegistry;
    llm: LlmHealth;
    version: string;
  },
): void {
  const { db, documents, schema, workerRegistry, llm, version } = deps;

  app.post<{ Querystring: Static<typeof CleanupQuery> }>(
    '/admin/cleanup',
    {
      config: { access: 'bearer' },
      schema: {
        summary: 'Delete stale tasks',
        description: 'Deletes every task older than `days` days, in any state, with its files.',
        operationId: 'cleanup',
        tags: ['operation'],
        querystring: CleanupQuery,
        response: {
          200: describeResponse('The deleted tasks and files.', CleanedUp),
          ...errorResponses(forbidden(), csrfFailed(), cleanupRunning()),
        },
      },
    },
    async (request) => {
      adminOf(request);
      const { days } = request.query;
      const dryRun = isTrue(request.query.dry_run);
      const removed = await documents.cleanup({ days, dryRun });
      if (removed === 'busy') throw cleanupRunning();
      return {
        status: 'success',
        deleted_tasks: removed.tasks,
        deleted_files: removed.files,
        ...(dryRun && { dry_run: true }),
      };
    },
  );

  app.get<{ Querystring: Static<typeof HealthQuery> }>(
    '/health/deep',
    {
      config: { access: 'bearer', reportsOutage: true },
      schema: {
        summary: 'Extended service status',
        description:
          'State of the database, the workers and the language model, not of the queue. `X-Health` is `ok`, `warn` (language model unavailable) or `fail` (database unavailable).',
        operationId: 'deepHealth',
        tags: ['operation'],
        querystring: HealthQuery,
        response: {
          200: describeResponse('The service works normally.', DeepHealth),
          503: describeResponse('`DATABASE_UNAVAILABLE`, `LLM_UNAVAILABLE`, `WORKERS_OFFLINE`', DeepHealth),
        },
      },
    },
    async (request, reply) => {
      const [database, model] = await Promise.all([isDatabaseUp(db), llm.check()]);
      const workers = workerRegistry.warmWorkers('passports').length;
      const data = {
        database: database ? 'ok' : 'error',
        workers_online: workers,
        version,
        llm_status: model.status,
        llm_provider: model.provider,
        llm_error: model.error,
      };
      const idle = isTrue(request.query.strict) && workers === 0;
      const llmFault = model.status === 'error' ? llmUnavailable() : undefined;
      const fault = database ? (llmFault ?? (idle ? workersOffline() : undefined)) : databaseUnavailable();
      void reply.header('x-health', database ? (fault === undefined ? 'ok' : 'warn') : 'fail');
      if (fault === undefined) return { ok: true, data, error: null };
      const { code, message } = fault;
      return reply.code(503).headers(fault.headers).send({ ok: false, data, error: { code, message } });
    },
  );

  app.get<{ Querystring: Static<typeof FailedQuery> }>(
    '/api/stats/failed',
    {
      config: { access: 'bearer' },
      schema: {
        summary: 'Failed tasks of the last hour, or of another window',
        description:
          'The numbers count tasks of all owners. `recent` lists the tasks of the key and the session; for administrators, of all owners.',
        operationId: 'failedStats',
        tags: ['operation'],
        querystring: FailedQuery,
        response: { 200: describeResponse('The statistics.', FailedStats) },
      },
    },
    async (request) => {
      const { window } = request.query;
      const statistics = await documents.failureStatistics(window, callerOf(request));
      const { total, failed, byStatus, byErrorType, recent } = statistics;
      return {
        window_seconds: window,
        since: new Date(Date.now() - window * 1000),
        total_tasks: total,
        failed_total: failed,
        failure_rate: total === 0 ? 0 : Math.round((failed / total) * 1e4) / 1e4,
        by_status: byStatus,
        by_error_type: byErrorType,
        recent: recent.map(({ errorType, failedAt, ...task }) => ({
          ...task,
          error_type: errorType,
          failed_at: failedAt,
        })),
      };
    },
  );

  app.get<{ Querystring: Static<typeof QualityQuery> }>(
    '/api/stats/quality',
    {
      config: { access: 'bearer' },
      schema: {
        summary: 'Precision of the extracted values by field and confidence',
        description:
          'From the corrections and confirmations of all owners, for readings of the current engine version. Documents that nobody corrected or confirmed do not count; deleted documents remain counted.',
        operationId: 'qualityStats',
        tags: ['operation'],
        querystring: QualityQuery,
        shown: { headers: { 'Accept-Language': 'The language of the labels: `en` or `ru`.' } },
        response: { 200: describeResponse('The statistics.', QualityStats) },
      },
    },
    async (request, reply) => {
      const language = preferredLanguage(request.headers['accept-language']);
      void reply.header('vary', 'Accept-Language');
      return loadQuality(documents, schema, { precision: request.query.precision, language });
    },
  );
}

const isDatabaseUp = (db: Db): Promise<boolean> =>
  db.query({ name: 'passport-alive', text: 'select 1', limitMs: DATABASE_LIMIT_MS }).then(
    () => true,
    () => false,
  );
