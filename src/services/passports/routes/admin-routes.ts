import { type Static, Type } from 'typebox';
import type { Db } from '../../../base/db.ts';
import { reply as answer, refusal } from '../../../http/envelope.ts';
import type { Gateway } from '../../../http/gateway.ts';
import type { Roster } from '../../../tasks/roster.ts';
import { adminOf, callerOf } from '../auth/door.ts';
import type { Documents } from '../documents.ts';
import type { LlmHealth } from '../llm-health.ts';
import {
  cleanupRunning,
  csrfFailed,
  databaseUnavailable,
  forbidden,
  llmUnavailable,
  workersOffline,
} from '../refusals.ts';
import { CleanedUp, CleanupQuery, DeepHealth, FailedQuery, FailedStats, Flag, saidYes } from '../schema-http.ts';

/** How long the database may take to say that it is there. */
const DATABASE_LIMIT_MS = 3000;
const HealthQuery = Type.Object({ strict: Type.Optional(Flag) });

/** The routes for who runs the service. */
export function adminRoutes(
  app: Gateway,
  needs: { db: Db; documents: Documents; roster: Roster; llm: LlmHealth; version: string },
): void {
  const { db, documents, roster, llm, version } = needs;

  app.post<{ Querystring: Static<typeof CleanupQuery> }>(
    '/admin/cleanup',
    {
      config: { access: 'bearer' },
      schema: {
        summary: 'Delete stale tasks',
        description: 'Every task older than `days` days, in any state, with its files.',
        operationId: 'cleanup',
        tags: ['operation'],
        querystring: CleanupQuery,
        response: {
          200: answer('What went.', CleanedUp),
          403: refusal(forbidden(), csrfFailed()),
          409: refusal(cleanupRunning()),
        },
      },
    },
    async (request) => {
      adminOf(request);
      const { days } = request.query;
      const dryRun = saidYes(request.query.dry_run);
      const gone = await documents.cleanup({ days, dryRun });
      if (gone === 'busy') throw cleanupRunning();
      return {
        status: 'success',
        deleted_tasks: gone.tasks,
        deleted_files: gone.files,
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
          'Database, workers and the language model. It proves nothing about the queue. `X-Health` says `ok`, `warn` (no language model) or `fail` (no database).',
        operationId: 'deepHealth',
        tags: ['operation'],
        querystring: HealthQuery,
        response: {
          200: answer('The service works normally.', DeepHealth),
          503: answer('`DATABASE_UNAVAILABLE`, `LLM_UNAVAILABLE`, `WORKERS_OFFLINE`', DeepHealth),
        },
      },
    },
    async (request, reply) => {
      const [database, model] = await Promise.all([answers(db), llm.check()]);
      const workers = roster.warm('passports').length;
      const data = {
        database: database ? 'ok' : 'error',
        workers_online: workers,
        version,
        llm_status: model.status,
        llm_provider: model.provider,
        llm_error: model.error,
      };
      const idle = saidYes(request.query.strict) && workers === 0;
      const fault = !database
        ? databaseUnavailable()
        : model.status === 'error'
          ? llmUnavailable()
          : idle
            ? workersOffline()
            : undefined;
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
          'The figures are those of everybody. `recent` names the tasks of the key and the session, to administrators those of everybody.',
        operationId: 'failedStats',
        tags: ['operation'],
        querystring: FailedQuery,
        response: { 200: answer('The figures.', FailedStats) },
      },
    },
    async (request) => {
      const { window } = request.query;
      const since = new Date(Date.now() - window * 1000);
      const { total, failed, byStatus, byErrorType, recent } = await documents.failures(window, callerOf(request));
      return {
        window_seconds: window,
        since: since.toISOString(),
        total_tasks: total,
        failed_total: failed,
        failure_rate: total === 0 ? 0 : Math.round((failed / total) * 1e4) / 1e4,
        by_status: byStatus,
        by_error_type: byErrorType,
        recent: recent.slice(0, 20).map(({ id, status, errorType, failedAt }) => ({
          ...{ id, status, error_type: errorType },
          failed_at: failedAt.toISOString(),
        })),
      };
    },
  );
}

/** Whether the database answers, in time for who watches. */
async function answers(db: Db): Promise<boolean> {
  try {
    await db.query({ name: 'passport-alive', text: 'select 1', limitMs: DATABASE_LIMIT_MS });
    return true;
  } catch {
    return false;
  }
}
