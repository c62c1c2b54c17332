import { join } from 'node:path';
import cookie from '@fastify/cookie';
import { Gauge } from 'prom-client';
import { loop } from '../../base/loop.ts';
import { keptSecret } from '../../base/secrets.ts';
import { basePath, locateBelow } from '../../http/base-path.ts';
import { openCsrf } from '../../http/csrf.ts';
import { detailValidation } from '../../http/detail-errors.ts';
import type { Gateway } from '../../http/gateway.ts';
import type { Metrics } from '../../http/metrics.ts';
import { commonRoutes } from '../common-routes.ts';
import { openListener } from '../listener.ts';
import { openReplies } from '../replies.ts';
import type { GatewayHouse, SharedSettings } from '../service.ts';
import { apiKeysFrom } from './auth/api-keys.ts';
import { openCookies } from './auth/cookies.ts';
import { openDoor } from './auth/door.ts';
import { keysNow } from './auth/keys-now.ts';
import { openTokens } from './auth/tokens.ts';
import { openVisits } from './auth/visits.ts';
import type { Documents } from './documents.ts';
import { contentKey } from './engine.ts';
import { type LlmHealth, watchLlm } from './llm-health.ts';
import { pageRoutes } from './pages/pages.tsx';
import { adminRoutes } from './routes/admin-routes.ts';
import { authRoutes } from './routes/auth-routes.ts';
import { createPdfRoute } from './routes/create-pdf-route.ts';
import { editRoutes } from './routes/edit-routes.ts';
import { exportRoutes } from './routes/export-routes.ts';
import { imageRoutes } from './routes/image-routes.ts';
import { watchSessions } from './routes/session-watch.ts';
import { statusRoutes } from './routes/status-routes.ts';
import { MOST_STREAMS, streamRoute } from './routes/stream-route.ts';
import { taskRoutes } from './routes/task-routes.ts';
import { uploadImagesRoute } from './routes/upload-images-route.ts';
import { uploadRoute } from './routes/upload-route.ts';
import { loadSchema } from './schema/load-schema.ts';
import type { Own } from './settings.ts';

const BODY_LIMIT_BYTES = 1024 * 1024;
const HOUR_MS = 3_600_000;
const LLM_PROBE_TIMEOUT_MS = 3000;

/** All endpoints of section 4.3 of the specification, and those that contract.md adds. */
export async function openGateway({
  context,
  settings,
  shared,
  documents,
}: {
  context: GatewayHouse;
  settings: Own;
  shared: SharedSettings;
  documents: Documents;
}): Promise<Gateway> {
  const { db, files, roster, metrics, log } = context;
  const service = 'passports';
  const keys = keysNow(apiKeysFrom(settings.apiKeys), () => context.issued.of(service));
  if (keys.all().length === 0) log.warn('no API keys are configured: no token can be issued');
  metrics.authDisabled(service, false);

  const secret = settings.jwtSecret ?? (await keptSecret(join(shared.dataDir, 'keys', 'passports-jwt.key')));
  const publicOrigins = [...shared.publicOrigins, ...(settings.publicUrl ? [new URL(settings.publicUrl).origin] : [])];
  const tokens = openTokens({
    keys: keys.all,
    secret,
    previousSecret: settings.jwtSecretPrevious,
    lifetimeHours: settings.jwtLifetimeHours,
  });
  const sessions = openVisits(db);
  const base = basePath(settings.publicUrl);
  const cookies = openCookies({ path: base, secure: shared.cookieSecure });
  const csrf = openCsrf(secret);
  const authGuard = openDoor({
    tokens,
    sessions,
    cookies,
    csrf,
    keysKnown: keys.complete,
    bearerScope: settings.bearerScope,
    publicOrigins,
  });
  const replies = openReplies(db, service);
  const schema = loadSchema(settings.schemaFile);
  const cacheKey = (contentHash: string) => contentKey(contentHash, schema, settings);

  const llm = watchLlm(languageModel(settings));
  if (settings.llmProvider !== 'none') exportLlmMetric(llm, metrics);

  const app = await openListener(context, shared, {
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
    refusalPage: (...args) => pages.refusal(...args),
  });
  await app.register(cookie);
  locateBelow(app, base);
  app.decorateRequest('visitor', null);
  const watch = watchSessions({
    ...{ documents, tokens, sessions, log },
    maxPerSession: MOST_STREAMS,
    signal: app.closing,
  });

  await authRoutes(app, { keys, tokens, sessions, cookies, authGuard, publicOrigins });
  await uploadRoute(app, { authGuard, replies, documents, files, cacheKey });
  await uploadImagesRoute(app, { authGuard, documents, files });
  imageRoutes(app, { documents, files });
  createPdfRoute(app, { documents, files, replies, cacheKey, maxImages: settings.pdfMaxImages });
  taskRoutes(app, { documents, files, schema });
  streamRoute(app, { watch });
  exportRoutes(app, { documents, files, schema });
  await editRoutes(app, { authGuard, documents, schema });
  adminRoutes(app, { db, documents, roster, llm, version: shared.version });
  statusRoutes(app, { version: shared.version });
  commonRoutes(app, {
    service,
    house: context,
    shared,
    auth: () => (keys.all().length > 0 ? 'enforced' : 'unconfigured'),
  });

  const pages = pageRoutes(app, { documents, authGuard, csrf, schema, version: shared.version });

  void loop(() => Promise.all([sessions.tidy(), replies.tidy()]), {
    restMs: HOUR_MS,
    signal: app.closing,
    onError: (err) => log.warn({ err }, 'expired sessions could not be deleted; will retry'),
  });
  return app;
}

function languageModel({ llmProvider: provider, llmBaseUrl: baseUrl, llmModel: model, llmApiKey }: Own) {
  if (provider === 'none') return undefined;
  const apiKey = llmApiKey || undefined;
  const probe = async () => {
    const { openModelClient } = await import('./model/llm/client.ts');
    await openModelClient({ baseUrl, model: model ?? '', apiKey }).probe(AbortSignal.timeout(LLM_PROBE_TIMEOUT_MS));
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
