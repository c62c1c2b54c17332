import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import cookie from '@fastify/cookie';
import { loadSecret } from '../../base/secrets.ts';
import { clientKey } from '../../http/auth-and-limit.ts';
import { basePath, prefixRedirects } from '../../http/base-path.ts';
import { createCsrf } from '../../http/csrf.ts';
import { detailValidation } from '../../http/detail-errors.ts';
import type { Gateway } from '../../http/gateway.ts';
import type { Limiter } from '../../http/rate-limit.ts';
import { commonRoutes } from '../shared/common-routes.ts';
import { createIdempotencyStore } from '../shared/idempotency-store.ts';
import { createListener } from '../shared/listener.ts';
import { publicOriginsOf } from '../shared/same-site.ts';
import type { GatewayContext, SharedSettings } from '../shared/service.ts';
import { webhookPolicy } from '../shared/webhook-policy.ts';
import { databaseUnavailable } from './api-errors.ts';
import { createAuthGuard } from './auth/auth-guard.ts';
import { createSessionCookie, SESSION_COOKIE } from './auth/cookies.ts';
import { type configuredEntries, createTokens, readRoles } from './auth/tokens.ts';
import { createMedia } from './media.ts';
import { type Pages, pageRoutes } from './pages/page-routes.tsx';
import { createPictureSearch } from './picture-search.ts';
import { createFeedLag } from './records/feed-lag.ts';
import { createRecords } from './records/records.ts';
import { createReports } from './reports/postgres.ts';
import { reportAnnouncer } from './reports/webhook.ts';
import { authRoutes } from './routes/auth-routes.ts';
import { exportRoutes } from './routes/export-routes.ts';
import { imageRoute } from './routes/image-route.ts';
import { indexRoutes } from './routes/index-routes.ts';
import { pictureSearchRoute } from './routes/picture-search-route.ts';
import { reportRoutes } from './routes/report-routes.ts';
import { rowRoutes } from './routes/row-routes.ts';
import { searchRoutes } from './routes/search-routes.ts';
import { soundRoute } from './routes/sound-route.ts';
import { measureCatalog, shareConcurrent, statusRoutes } from './routes/status-routes.ts';
import { viewRoutes } from './routes/view-routes.ts';
import { createSearch } from './search/search.ts';
import type { CatalogSettings } from './settings.ts';
import { createImagePolicy } from './url-policy.ts';
import { createViewOwners, createViews } from './views/views.ts';

const BODY_LIMIT_BYTES = 1024 * 1024;
/** Sign-in attempts per address in any 60 seconds. */
const LOGINS = 20;
/** Anonymous reports per address in any 60 seconds. */
const OPEN_REPORTS = 30;

export async function createCatalogGateway({
  context,
  settings,
  shared,
  entries,
}: {
  context: GatewayContext;
  settings: CatalogSettings;
  shared: SharedSettings;
  entries: ReturnType<typeof configuredEntries>;
}): Promise<Gateway> {
  const { db, files, metrics, log } = context;
  const service = 'catalog';
  const tokens = createTokens(entries, () => context.issued.of(service));
  if (tokens.count().moderators === 0) log.warn('no moderator tokens are configured: reports cannot be decided');
  metrics.authDisabled(service, settings.open);

  const secret = await loadSecret(join(shared.dataDir, 'keys', 'catalog-pages.key'));
  const publicOrigins = publicOriginsOf(shared, settings.publicUrl);
  const base = basePath(settings.publicUrl);
  const cookieRules = { path: base, secure: shared.cookieSecure };
  const cookies = createSessionCookie(cookieRules);
  const csrf = createCsrf(secret);
  const anonymousPrincipal = (ip: string) =>
    `address:${createHmac('sha256', secret).update(clientKey(ip)).digest('hex').slice(0, 16)}`;
  const guard = createAuthGuard({
    ...{ tokens, cookies, csrf, publicOrigins },
    anonymousPrincipal: settings.open ? anonymousPrincipal : undefined,
  });

  const search = createSearch(db);
  const { webhookUrl: url } = settings;
  const reports = createReports({
    ...{ db, apply: settings.apply },
    announce: url === undefined ? undefined : reportAnnouncer({ service, url, ttlSeconds: shared.resultTtlSeconds }),
  });
  const records = createRecords({ db, files, log });
  const replies = createIdempotencyStore(db, service);
  const views = createViews(db, async (tx) => [...(await readRoles(tx, entries)).keys()]);
  const owners = createViewOwners(cookieRules);
  const media = createMedia(db);
  const lag = createFeedLag(context.databases);
  const state = shareConcurrent(async () => ({ ...(await search.state()), lagSeconds: await lag() }));
  measureCatalog(state, metrics);

  const app = await createListener(context, shared, {
    service,
    title: 'Assay catalog',
    description:
      'Searches the results of the other services as records, accepts reports on them and moderates the reports.',
    publicUrl: settings.publicUrl,
    securitySchemes: {
      session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE, description: 'A signed-in browser.' },
    },
    guard: guard.guard,
    // Until the issued tokens have been read, valid ones are rejected too.
    hasTokenCookie: (request) => tokens.isComplete() && cookies.read(request) !== undefined,
    limiter: context.limits.window(service, { limit: LOGINS }),
    bodyLimitBytes: BODY_LIMIT_BYTES,
    validation: detailValidation,
    unavailableError: databaseUnavailable,
    errorPage: (...args) => pages.errorPage(...args),
  });
  await app.register(cookie);
  prefixRedirects(app, base);
  app.decorateRequest('reader', null);

  await authRoutes(app, { tokens, cookies, guard, publicOrigins });
  searchRoutes(app, { search, cookies: cookieRules });
  exportRoutes(app, { search });
  await indexRoutes(app, { records, state, images: createImagePolicy(shared) });
  rowRoutes(app, { search, reports, page: (...args) => pages.row(...args) });
  const pictures = createPictureSearch(context, shared);
  if (pictures) {
    await pictureSearchRoute(app, {
      ...{ search, pictures, checkForm: guard.checkForm },
      page: (...args) => pages.similar(...args),
    });
  }
  imageRoute(app, { media, files });
  soundRoute(app, { media, files });
  const alerts = { webhooks: webhookPolicy(shared), seal: context.seal };
  viewRoutes(app, {
    views,
    owners,
    ...alerts,
    cursors: context.events.cursors,
    page: (...args) => pages.matches(...args),
  });
  app.get(
    '/.well-known/webhook-keys.json',
    { config: { access: 'public' }, schema: { hide: true } },
    () => context.webhookKeys,
  );
  await reportRoutes(app, {
    reports,
    replies,
    limited: settings.open && limitAnonymous(context.limits.window('catalog-reports', { limit: OPEN_REPORTS })!),
    checkForm: guard.checkForm,
    queuePage: (...args) => pages.queue(...args),
  });
  statusRoutes(app, { state });
  commonRoutes(app, {
    service,
    context,
    shared,
    auth: () => {
      const { readers, moderators } = tokens.count();
      return settings.open ? 'disabled' : readers + moderators > 0 ? 'enforced' : 'unconfigured';
    },
  });
  const pages: Pages = await pageRoutes(app, {
    ...{ search, reports, views, owners, alerts, guard, version: shared.version, failureTexts: context.failureTexts },
    ...{ cookies: cookieRules, publicOrigins },
    byPicture: pictures !== undefined,
  });
  return app;
}

const limitAnonymous = (limiter: Limiter): Limiter => ({
  policy: limiter.policy,
  take: (key) =>
    key.startsWith('address:') ? limiter.take(key) : { allowed: true, remaining: OPEN_REPORTS, resetSeconds: 1 },
});
