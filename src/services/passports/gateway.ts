import { join } from 'node:path';
import cookie from '@fastify/cookie';
import { Gauge } from 'prom-client';
import { loop } from '../../base/loop.ts';
import { loadSecret } from '../../base/secrets.ts';
import { basePath, prefixRedirects } from '../../http/base-path.ts';
import { createCsrf } from '../../http/csrf.ts';
import { detailValidation } from '../../http/detail-errors.ts';
import type { Gateway } from '../../http/gateway.ts';
import type { Metrics } from '../../http/metrics.ts';
import { acceptUploads } from '../../http/upload.ts';
import { commonRoutes } from '../shared/common-routes.ts';
import { eventRoutes } from '../shared/event-routes.ts';
import { eventExamples } from '../shared/event-schema.ts';
import { createIdempotencyStore } from '../shared/idempotency-store.ts';
import { createListener } from '../shared/listener.ts';
import { publicOriginsOf } from '../shared/same-site.ts';
import { queueOf } from '../shared/sandbox/queue.ts';
import type { GatewayContext, SharedSettings } from '../shared/service.ts';
import { EventPage } from './api-schema.ts';
import { parseApiKeys } from './auth/api-keys.ts';
import { callerOf, createAuthGuard } from './auth/auth-guard.ts';
import { createCookies } from './auth/cookies.ts';
import { createEndedCredentials } from './auth/ended-credentials.ts';
import { createLiveKeys } from './auth/live-keys.ts';
import { createSessions } from './auth/sessions.ts';
import { createTokens } from './auth/tokens.ts';
import { computeCacheKey } from './cache-key.ts';
import { createLlmHealth, type LlmHealth } from './llm/health.ts';
import { pageRoutes } from './pages/page-routes.tsx';
import { adminRoutes } from './routes/admin-routes.ts';
import { authRoutes } from './routes/auth-routes.ts';
import { batchRoutes } from './routes/batch-routes.ts';
import { createPdfRoute } from './routes/create-pdf-route.ts';
import { editRoutes } from './routes/edit-routes.ts';
import { exportRoutes } from './routes/export-routes.ts';
import { imageRoutes } from './routes/image-routes.ts';
import { watchSessions } from './routes/session-watch.ts';
import { statusRoutes } from './routes/status-routes.ts';
import { MAX_STREAMS, streamRoute } from './routes/stream-route.ts';
import { taskRoutes } from './routes/task-routes.ts';
import { templateRoutes } from './routes/template-routes.ts';
import { uploadImagesRoute } from './routes/upload-images-route.ts';
import { uploadRoute } from './routes/upload-route.ts';
import { loadSchema } from './schema/load-schema.ts';
import type { Settings } from './settings.ts';
import type { DocumentStore } from './store/postgres.ts';
import { statusOf } from './store/status.ts';
import { postgresTemplates } from './store/templates.ts';

const BODY_LIMIT_BYTES = 1024 * 1024;
const HOUR_MS = 3_600_000;
const LLM_PROBE_TIMEOUT_MS = 3000;

/** All endpoints of docs/specification.md#passports. */
export async function createGateway(deps: {
  context: GatewayContext;
  settings: Settings;
  shared: SharedSettings;
  documents: DocumentStore;
}): Promise<Gateway> {
  const { context, settings, shared, documents } = deps;
  const { db, files, workerRegistry, metrics, log } = context;
  const service = 'passports';
  const keys = createLiveKeys(parseApiKeys(settings.apiKeys), () => context.issued.of(service));
  if (keys.all().length === 0) log.warn('no API keys are configured: no token can be issued');
  metrics.authDisabled(service, false);

  const secret = settings.jwtSecret ?? (await loadSecret(join(shared.dataDir, 'keys', 'passports-jwt.key')));
  const publicOrigins = publicOriginsOf(shared, settings.publicUrl);
  const tokens = createTokens({
    keys: keys.all,
    secret,
    previousSecret: settings.jwtSecretPrevious,
    lifetimeHours: settings.jwtLifetimeHours,
  });
  const sessions = createSessions(db);
  const base = basePath(settings.publicUrl);
  const cookies = createCookies({ path: base, secure: shared.cookieSecure });
  const csrf = createCsrf(secret);
  const authGuard = createAuthGuard({
    tokens,
    sessions,
    cookies,
    csrf,
    keysKnown: keys.isComplete,
    bearerScope: settings.bearerScope,
    publicOrigins,
  });
  const replies = createIdempotencyStore(db, service);
  const schema = loadSchema(settings.schemaFile);
  const cacheKey = (contentHash: string) => computeCacheKey(contentHash, schema, settings);

  const llm = createLlmHealth(languageModel(settings));
  if (settings.llmProvider !== 'none') exportLlmMetric(llm, metrics);

  const app = await createListener(context, shared, {
    service,
    title: 'Assay passports',
    description:
      'Extracts fields from a technical passport (a PDF or photos of its pages). People check and correct the fields and export them.',
    publicUrl: settings.publicUrl,
    securitySchemes: {
      session: { type: 'apiKey', in: 'cookie', name: 'bti_session_id', description: "A browser's session." },
    },
    guard: authGuard.guard,
    limiter: context.limits.window(service, { limit: settings.tokenLimitPerMinute }),
    bodyLimitBytes: BODY_LIMIT_BYTES,
    validation: detailValidation,
    errorPage: (...args) => pages.refusal(...args),
  });
  await app.register(cookie);
  prefixRedirects(app, base);
  app.decorateRequest('visitor', null);
  const findEnded = createEndedCredentials({ tokens, sessions });
  const watch = watchSessions({
    ...{ documents, tokens, findEnded, log },
    maxPerSession: MAX_STREAMS,
    signal: app.closing,
  });

  await authRoutes(app, { keys, tokens, sessions, cookies, authGuard, publicOrigins });
  await app.register(async (scope) => {
    await acceptUploads(scope);
    // Only multipart bodies.
    scope.removeContentTypeParser('*');
    uploadRoute(scope, {
      ...{ authGuard, replies, documents, files, cacheKey },
      sendResult: (...args) => pages.sendUploadResult(...args),
    });
    uploadImagesRoute(scope, { authGuard, documents, files });
  });
  await batchRoutes(app, {
    ...{ context, replies, documents, files, schema, cacheKey },
    deps: { tasks: context.tasks, admission: context.admission, estimates: context.estimates, shared },
  });
  const maxImages = settings.pdfMaxImages;
  imageRoutes(app, { documents, files, maxImages });
  createPdfRoute(app, { documents, files, replies, cacheKey, maxImages });
  taskRoutes(app, { documents, tasks: context.tasks, files, schema });
  streamRoute(app, { watch });
  eventRoutes(app, {
    ...{ service, context, access: 'session', limited: false, page: EventPage },
    async findEnded(requests) {
      const ended = await findEnded(requests.map((request) => ({ request, ...request.visitor! })));
      return ended.map(({ request }) => request);
    },
    feedOf(request) {
      const { key, session } = callerOf(request);
      return { service: queueOf(service, key), principal: session };
    },
    present: ({ at, status, errorCode }) => ({
      created_at: at.toISOString(),
      ...(status && { status: statusOf(status, errorCode), error_type: errorCode }),
    }),
    envelope: (page) => page,
    example: eventExamples(service, {
      created_at: '2026-01-01T00:00:00.000Z',
      task_id: '01993f6e-2d8a-7c21-9b1e-4f6a7d0c5e12',
      status: 'SUCCESS',
      error_type: null,
    }),
  });
  exportRoutes(app, { documents, files, schema });
  await editRoutes(app, { authGuard, documents, schema });
  const templates = postgresTemplates(db);
  templateRoutes(app, { templates });
  adminRoutes(app, { db, documents, schema, workerRegistry, llm, version: shared.version });
  statusRoutes(app, { version: shared.version });
  commonRoutes(app, {
    service,
    context,
    shared,
    auth: () => (keys.all().length > 0 ? 'enforced' : 'unconfigured'),
  });

  const pages = pageRoutes(app, {
    ...{ documents, templates, authGuard, csrf, schema, publicOrigins, maxImages },
    version: shared.version,
  });

  void loop(() => Promise.all([sessions.deleteExpired(), replies.deleteExpired()]), {
    intervalMs: HOUR_MS,
    signal: app.closing,
    onError: (err) => log.warn({ err }, 'expired sessions could not be deleted; will retry'),
  });
  return app;
}

function languageModel({ llmProvider: provider, llmBaseUrl: baseUrl, llmModel: model, llmApiKey }: Settings) {
  if (provider === 'none') return undefined;
  const apiKey = llmApiKey || undefined;
  const probe = async () => {
    const { createModelClient } = await import('./llm/client.ts');
    await createModelClient({ baseUrl, model: model ?? '', apiKey }).probe(AbortSignal.timeout(LLM_PROBE_TIMEOUT_MS));
  };
  return { provider, probe };
}

function exportLlmMetric(llm: LlmHealth, { registry }: Metrics): void {
  new Gauge({
    name: 'assay_llm_up',
    help: 'Whether the language model answers.',
    registers: [registry],
    async collect() {
      this.set((await llm.check()).status === 'ok' ? 1 : 0);
    },
  });
}
