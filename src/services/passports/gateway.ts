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
const LLM_PATIENCE_MS = 3000;

/** The listener of passports: every endpoint of the specification's section 4.3, and what contract.md adds to it. */
export async function openGateway({
  house,
  own,
  shared,
  documents,
}: {
  house: GatewayHouse;
  own: Own;
  shared: SharedSettings;
  documents: Documents;
}): Promise<Gateway> {
  const { db, files, roster, metrics, log } = house;
  const service = 'passports';
  const keys = keysNow(apiKeysFrom(own.apiKeys), () => house.issued.of(service));
  if (keys.all().length === 0) log.warn('no API keys are configured: nobody can get a token');
  metrics.authDisabled(service, false);

  const secret = own.jwtSecret ?? (await keptSecret(join(shared.dataDir, 'keys', 'passports-jwt.key')));
  const publicOrigins = [...shared.publicOrigins, ...(own.publicUrl ? [new URL(own.publicUrl).origin] : [])];
  const tokens = openTokens({
    keys: keys.all,
    secret,
    previousSecret: own.jwtSecretPrevious,
    lifetimeHours: own.jwtLifetimeHours,
  });
  const visits = openVisits(db);
  const base = basePath(own.publicUrl);
  const cookies = openCookies({ path: base, secure: shared.cookieSecure });
  const csrf = openCsrf(secret);
  const door = openDoor({
    tokens,
    visits,
    cookies,
    csrf,
    keysKnown: keys.complete,
    bearerScope: own.bearerScope,
    publicOrigins,
  });
  const replies = openReplies(db, service);
  const schema = loadSchema(own.schemaFile);
  const cacheKey = (contentHash: string) => contentKey(contentHash, schema, own);

  const llm = watchLlm(languageModel(own));
  if (own.llmProvider !== 'none') measureLlm(llm, metrics);

  const app = await openListener(house, shared, {
    service,
    title: 'Assay passports',
    description:
      'A technical passport, as a PDF or as photos of its pages, becomes fields that a person can check and correct, and exports of them.',
    publicUrl: own.publicUrl,
    securitySchemes: {
      session: { type: 'apiKey', in: 'cookie', name: 'bti_session_id', description: "A browser's session." },
    },
    guard: door.guard,
    limiter: house.limits.window(service, { limit: own.tokenLimitPerMinute }),
    bodyLimitBytes: BODY_LIMIT_BYTES,
    validation: detailValidation,
    refusalPage: (...refused) => pages.refusal(...refused),
  });
  await app.register(cookie);
  locateBelow(app, base);
  app.decorateRequest('visitor', null);
  const watch = watchSessions({
    ...{ documents, tokens, visits, log },
    mostPerSession: MOST_STREAMS,
    signal: app.closing,
  });

  await authRoutes(app, { keys, tokens, visits, cookies, door, publicOrigins });
  await uploadRoute(app, { door, replies, documents, files, cacheKey });
  await uploadImagesRoute(app, { door, documents, files });
  imageRoutes(app, { documents, files });
  createPdfRoute(app, { documents, files, replies, cacheKey, maxImages: own.pdfMaxImages });
  taskRoutes(app, { documents, files, schema });
  streamRoute(app, { watch });
  exportRoutes(app, { documents, files, schema });
  await editRoutes(app, { door, documents, schema });
  adminRoutes(app, { db, documents, roster, llm, version: shared.version });
  statusRoutes(app, { version: shared.version });
  commonRoutes(app, {
    service,
    house,
    shared,
    auth: () => (keys.all().length > 0 ? 'enforced' : 'unconfigured'),
  });

  const pages = pageRoutes(app, { documents, door, csrf, schema, version: shared.version });

  void loop(() => Promise.all([visits.tidy(), replies.tidy()]), {
    restMs: HOUR_MS,
    signal: app.closing,
    onError: (err) => log.warn({ err }, 'old sessions could not be removed; the next round may'),
  });
  return app;
}

/** How the language model is asked whether it is there; its client is loaded when somebody wants to know. */
function languageModel({ llmProvider: provider, llmBaseUrl: baseUrl, llmModel: model, llmApiKey }: Own) {
  if (provider === 'none') return undefined;
  const apiKey = llmApiKey || undefined;
  const probe = async () => {
    const { openModelClient } = await import('./model/llm/client.ts');
    await openModelClient({ baseUrl, model: model ?? '', apiKey }).probe(AbortSignal.timeout(LLM_PATIENCE_MS));
  };
  return { provider, probe };
}

/** Who reads the metrics is told of the model as well, as of its last answer. */
function measureLlm(llm: LlmHealth, { registry }: Metrics): void {
  new Gauge({
    name: 'assay_llm_up',
    help: 'Whether the language model answers.',
    registers: [registry],
    async collect() {
      this.set((await llm.check()).status === 'ok' ? 1 : 0);
    },
  });
}
