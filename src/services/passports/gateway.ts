import { join } from 'node:path';
import cookie from '@fastify/cookie';
import { isUnavailable } from '../../base/db.ts';
import { newId } from '../../base/ids.ts';
import { loop } from '../../base/loop.ts';
import { readOrCreate } from '../../base/secrets.ts';
import { detailValidation } from '../../http/detail-errors.ts';
import { createGateway, type Gateway } from '../../http/gateway.ts';
import { metricsHandler } from '../../http/metrics.ts';
import { slidingWindow } from '../../http/rate-limit.ts';
import { probeRoutes } from '../probe-routes.ts';
import type { GatewayHouse, SharedSettings } from '../service.ts';
import { apiKeysFrom } from './auth/api-keys.ts';
import { openCookies } from './auth/cookies.ts';
import { openCsrf } from './auth/csrf.ts';
import { openDoor } from './auth/door.ts';
import { openReplies } from './auth/replies.ts';
import { openTokens } from './auth/tokens.ts';
import { openVisits } from './auth/visits.ts';
import type { Documents } from './documents.ts';
import { contentKey } from './engine.ts';
import { watchLlm } from './llm-health.ts';
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
import { uploadRoute } from './routes/upload-route.ts';
import { loadSchema } from './schema/load-schema.ts';
import type { Own } from './settings.ts';

const BODY_LIMIT_BYTES = 1024 * 1024;
const HOUR_MS = 3_600_000;

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
  const keys = apiKeysFrom(own.apiKeys);
  if (keys.length === 0) log.warn('no API keys are configured: nobody can get a token');
  metrics.authDisabled(service, false);

  const secret = own.jwtSecret ?? (await keptSecret(shared.dataDir));
  const publicOrigins = [...own.publicOrigins, ...(own.publicUrl ? [new URL(own.publicUrl).origin] : [])];
  const tokens = openTokens({
    keys,
    secret,
    previousSecret: own.jwtSecretPrevious,
    lifetimeHours: own.jwtLifetimeHours,
  });
  const visits = openVisits(db);
  const cookies = openCookies({ path: basePath(own.publicUrl), secure: own.cookieSecure });
  const csrf = openCsrf(secret);
  const door = openDoor({ tokens, visits, cookies, csrf, bearerScope: own.bearerScope, publicOrigins });
  const replies = openReplies(db);
  const schema = loadSchema(own.schemaFile);
  const cacheKey = (contentHash: string) => contentKey(contentHash, schema, own);

  const app = await createGateway({
    service,
    title: 'Assay passports',
    description:
      'A technical passport, as a PDF or as photos of its pages, becomes fields that a person can check and correct, and exports of them.',
    version: shared.version,
    publicUrl: own.publicUrl,
    securitySchemes: {
      session: { type: 'apiKey', in: 'cookie', name: 'bti_session_id', description: "A browser's session." },
    },
    log,
    metrics,
    guard: door.guard,
    limiter: slidingWindow({ limit: own.tokenLimitPerMinute }),
    bodyLimitBytes: BODY_LIMIT_BYTES,
    trustProxy: shared.trustProxy,
    corsAllowOrigins: shared.corsAllowOrigins,
    validation: detailValidation,
    isUnavailable,
  });
  await app.register(cookie);
  app.decorateRequest('visitor', null);
  const watch = watchSessions({ documents, mostPerSession: MOST_STREAMS, log, signal: app.closing });

  await authRoutes(app, { keys, tokens, visits, cookies, door, publicOrigins });
  await uploadRoute(app, { door, replies, documents, files, cacheKey });
  await imageRoutes(app, { door, documents, files });
  createPdfRoute(app, { documents, files, replies, cacheKey, maxImages: own.pdfMaxImages });
  taskRoutes(app, { documents, files, schema });
  streamRoute(app, watch);
  exportRoutes(app, { documents, files, schema });
  await editRoutes(app, { door, documents, schema });
  adminRoutes(app, { db, documents, roster, llm: watchLlm(undefined), version: shared.version });
  statusRoutes(app, { version: shared.version });
  probeRoutes(app, {
    service,
    version: shared.version,
    roster,
    auth: keys.length > 0 ? 'enforced' : 'unconfigured',
    readyNeedsTokens: false,
  });
  app.get(
    '/metrics',
    { config: { access: 'public' }, schema: { hide: true } },
    metricsHandler({ registry: metrics.registry, token: shared.metricsToken, others: house.othersMetrics }),
  );

  // Pages for people come here; until then `/` shows nothing that could be taken for one.

  void loop(() => Promise.all([visits.tidy(), replies.tidy()]), {
    restMs: HOUR_MS,
    signal: app.closing,
    onError: (err) => log.warn({ err }, 'old sessions could not be removed; the next round may'),
  });
  return app;
}

/** The secret of a deployment that names none: made once, kept for its owner alone. */
async function keptSecret(dataDir: string): Promise<string> {
  const make = () => `${newId()}${newId()}${newId()}\n`;
  return (await readOrCreate(join(dataDir, 'keys', 'passports-jwt.key'), make)).toString('utf8').trim();
}

/** The part of the host that is ours, where a proxy shares it with others. */
function basePath(publicUrl: string | undefined): string {
  const path = publicUrl === undefined ? '/' : new URL(publicUrl).pathname.replace(/\/+$/, '');
  return path === '' ? '/' : path;
}
