import type { FastifyRequest } from 'fastify';
import type { CookieRules } from '../../../http/cookie-options.ts';
import type { Gateway } from '../../../http/gateway.ts';
import { assetRoutes } from '../../../ui/assets.ts';
import { createErrorPage } from '../../shared/error-page.tsx';
import { rejectedFields } from '../../shared/rejected-form.tsx';
import type { GatewayContext } from '../../shared/service.ts';
import type { AuthGuard } from '../auth/auth-guard.ts';
import type { Reports } from '../reports/postgres.ts';
import { isRangeEnd } from '../search/filter-query.ts';
import type { Search } from '../search/search.ts';
import type { AlertDeps } from '../views/alert-request.ts';
import type { ViewOwners, Views } from '../views/views.ts';
import { rejectedAlertForm } from './alert-form.tsx';
import { formRoutes } from './form-routes.tsx';
import { createFrame, STYLES } from './frame.tsx';
import { Login, loginPage, returnUrlOf } from './login-page.tsx';
import { matchesPage } from './matches-page.tsx';
import { rejectedDecisionForm } from './queue-item.tsx';
import { queuePage } from './queue-page.tsx';
import { receiptPage } from './receipt-page.tsx';
import { rejectedReportForm } from './report-form.tsx';
import { rowPage } from './row-page.tsx';
import { rejectedViewForm } from './saved-views.tsx';
import { searchPage } from './search-page.tsx';
import { rejectedPictureForm, similarPage } from './similar-page.tsx';
import { texts } from './texts.ts';

export interface PageDeps {
  readonly search: Search;
  readonly reports: Reports;
  readonly views: Views;
  readonly owners: ViewOwners;
  readonly alerts: AlertDeps;
  readonly guard: AuthGuard;
  readonly cookies: CookieRules;
  /** Whether a photo can be searched. */
  readonly byPicture: boolean;
  readonly publicOrigins: readonly string[];
  readonly version: string;
  readonly failureTexts: GatewayContext['failureTexts'];
}

export type Pages = Awaited<ReturnType<typeof pageRoutes>>;

/** With those of the rejected forms. */
const ERROR_STYLES = [...STYLES, ...['search', 'queue'].map((name) => `services/catalog/browser/${name}.css`)];

/** All pages work without scripts. */
export async function pageRoutes(app: Gateway, deps: PageDeps) {
  const assets = assetRoutes(app, { folders: ['ui', 'services/catalog'], files: [] });
  const frame = createFrame({ ...deps, assets });
  searchPage(app, { ...deps, frame });
  loginPage(app, { assets, guard: deps.guard, version: deps.version });
  receiptPage(app, { reports: deps.reports, frame });
  await formRoutes(app, { ...deps, frame });
  const rejectedReport = rejectedReportForm({ search: deps.search, frame });
  return {
    row: rowPage(frame),
    matches: matchesPage(frame),
    similar: similarPage(frame, deps.cookies),
    queue: queuePage({ frame, search: deps.search }),
    errorPage: createErrorPage({
      ...{ assets, version: deps.version, texts, styles: ERROR_STYLES, nav: frame.nav },
      isFieldOf: (field, parameter) => parameter === 'range' && isRangeEnd(field),
      async rejectedForm(status, request) {
        const fields = await rejectedFields(status, request, deps.publicOrigins);
        if (fields === undefined) return rejectedPictureForm(frame, request);
        return (
          (await rejectedReport(status, fields, request)) ||
          rejectedDecisionForm(frame, status, fields, request) ||
          rejectedAlertForm(frame, fields, request) ||
          rejectedViewForm(frame, fields, request)
        );
      },
      // A form without a token is refused with 422.
      login: ({ words, status, message, request }) => (
        <Login words={words} back={returnUrlOf(request)} refused={status === 401 ? words.invalidToken : message} />
      ),
      loginFor(request) {
        const back = pageOf(request);
        return back === undefined ? 'login' : `login?${new URLSearchParams({ back })}`;
      },
    }),
  };
}

/** The page of a request or of the form that it sends. */
function pageOf({ method, url, params, routeOptions }: FastifyRequest): string | undefined {
  if (method === 'GET' || routeOptions.url === '/admin/reports/:report_id') return url;
  if (routeOptions.url !== '/row/:record_id/report') return undefined;
  return `/row/${encodeURIComponent((params as { record_id: string }).record_id)}`;
}
