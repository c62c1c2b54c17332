import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import cookie from '@fastify/cookie';
import { keptSecret } from '../../base/secrets.ts';
import { basePath, locateBelow } from '../../http/base-path.ts';
import { openCsrf } from '../../http/csrf.ts';
import { detailValidation } from '../../http/detail-errors.ts';
import { clientKey } from '../../http/gate.ts';
import type { Gateway } from '../../http/gateway.ts';
import type { Limiter } from '../../http/rate-limit.ts';
import { commonRoutes } from '../common-routes.ts';
import { openListener } from '../listener.ts';
import { openReplies } from '../replies.ts';
import type { GatewayHouse, SharedSettings } from '../service.ts';
import { COOKIE, openCookies } from './access/cookies.ts';
import { openDoor } from './access/door.ts';
import { type configuredEntries, tokensNow } from './access/tokens.ts';
import { imagePolicy } from './image-policy.ts';
import { openMedia } from './media.ts';
import { pageRoutes } from './pages/pages.tsx';
import { openRecords } from './records/records.ts';
import { databaseUnavailable } from './refusals.ts';
import { openReports } from './reports/postgres.ts';
import { authRoutes } from './routes/auth-routes.ts';
import { exportRoutes } from './routes/export-routes.ts';
import { imageRoute } from './routes/image-route.ts';
import { indexRoutes } from './routes/index-routes.ts';
import { reportRoutes } from './routes/report-routes.ts';
import { rowRoutes } from './routes/row-routes.ts';
import { searchRoutes } from './routes/search-routes.ts';
import { soundRoute } from './routes/sound-route.ts';
import { countedOnce, measureCatalog, statusRoutes } from './routes/status-routes.ts';
import { viewRoutes } from './routes/view-routes.ts';
import { openSearch } from './search/search.ts';
import type { Own } from './settings.ts';
import { openViewOwners } from './views/view-owners.ts';
import { openViews } from './views/views.ts';

const BODY_LIMIT_BYTES = 1024 * 1024;
/** Sign-in attempts per address in any 60 seconds. */
const LOGINS = 20;
/** Anonymous reports per address in any 60 seconds. */
const OPEN_REPORTS = 30;

export async function openGateway({
  context,
  settings,
  shared,
  entries,
}: {
  context: GatewayHouse;
  settings: Own;
  shared: SharedSettings;
  entries: ReturnType<typeof configuredEntries>;
}): Promise<Gateway> {
  const { db, files, metrics, log } = context;
  const service = 'catalog';
  const tokens = tokensNow(entries, () => context.issued.of(service));
  if (tokens.count().moderators === 0) log.warn('no moderator tokens are configured: reports cannot be decided');
  metrics.authDisabled(service, settings.open);

  const secret = await keptSecret(join(shared.dataDir, 'keys', 'catalog-pages.key'));
  const publicOrigins = [...shared.publicOrigins, ...(settings.publicUrl ? [new URL(settings.publicUrl).origin] : [])];
  const base = basePath(settings.publicUrl);
  const cookies = openCookies({ path: base, secure: shared.cookieSecure });
  const csrf = openCsrf(secret);
  const anonymousPrincipal = (ip: string) =>
    `address:${createHmac('sha256', secret).update(clientKey(ip)).digest('hex').slice(0, 16)}`;
  const guard = openDoor({
    ...{ tokens, cookies, csrf, publicOrigins },
    visitorAt: settings.open ? anonymousPrincipal : undefined,
  });

  const search = openSearch(db);
  const reports = openReports({ db, apply: settings.apply });
  const records = openRecords({ db, files, log });
  const replies = openReplies(db, service);
  const views = openViews(db);
  const owners = openViewOwners({ path: base, secure: shared.cookieSecure });
  const media = openMedia(db);
  const state = countedOnce(search.state);
  measureCatalog(state, metrics);

  const app = await openListener(context, shared, {
    service,
    title: 'Assay catalog',
    description:
      'Searches the results of the other services as records, accepts reports on them and moderates the reports.',
    publicUrl: settings.publicUrl,
    securitySchemes: {
      session: { type: 'apiKey', in: 'cookie', name: COOKIE, description: 'A signed-in browser.' },
    },
    guard: guard.guard,
    limiter: context.limits.window(service, { limit: LOGINS }),
    bodyLimitBytes: BODY_LIMIT_BYTES,
    validation: detailValidation,
    unavailable: databaseUnavailable,
    refusalPage: (...args) => pages.refusal(...args),
  });
  await app.register(cookie);
  locateBelow(app, base);
  app.decorateRequest('reader', null);

  await authRoutes(app, { tokens, cookies, guard, publicOrigins });
  searchRoutes(app, { search, cookies: { path: base, secure: shared.cookieSecure } });
  exportRoutes(app, { search });
  await indexRoutes(app, { records, search, images: imagePolicy(shared) });
  rowRoutes(app, { search, reports, page: (...args) => pages.row(...args) });
  imageRoute(app, { media, files });
  soundRoute(app, { media, files });
  viewRoutes(app, { views, owners });
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
    house: context,
    shared,
    auth: () => {
      const { readers, moderators } = tokens.count();
      return settings.open ? 'disabled' : readers + moderators > 0 ? 'enforced' : 'unconfigured';
    },
  });
  const pages = await pageRoutes(app, {
    ...{ search, reports, views, owners, guard, csrf, version: shared.version },
    cookies: { path: base, secure: shared.cookieSecure },
  });
  return app;
}

const limitAnonymous = (limiter: Limiter): Limiter => ({
  policy: limiter.policy,
  take: (key) =>
    key.startsWith('address:') ? limiter.take(key) : { allowed: true, remaining: OPEN_REPORTS, resetSeconds: 1 },
});
