import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CookieRules } from '../../../http/cookie-options.ts';
import type { Csrf } from '../../../http/csrf.ts';
import type { Gateway } from '../../../http/gateway.ts';
import type { RefusalPage } from '../../../http/refuse.ts';
import { assetRoutes } from '../../../ui/assets.ts';
import { refusalPage } from '../../refusal-page.tsx';
import type { Door } from '../access/door.ts';
import type { Report, Reports } from '../reports/report.ts';
import type { Queue } from '../routes/report-queue-route.ts';
import type { Row, Search } from '../search/found.ts';
import type { ViewOwners } from '../views/view-owners.ts';
import type { Views } from '../views/views.ts';
import { formRoutes } from './form-routes.tsx';
import { openFrame, STYLES } from './frame.tsx';
import { backOf, Login, loginPage } from './login-page.tsx';
import { queuePage } from './queue-page.tsx';
import { receiptPage } from './receipt-page.tsx';
import { reportAgain } from './report-again.tsx';
import { rowPage } from './row-page.tsx';
import { searchPage } from './search-page.tsx';
import { texts } from './texts.ts';

export interface PageNeeds {
  readonly search: Search;
  readonly reports: Reports;
  readonly views: Views;
  readonly owners: ViewOwners;
  readonly door: Door;
  readonly csrf: Csrf;
  readonly cookies: CookieRules;
  readonly version: string;
}

export interface Pages {
  readonly refusal: RefusalPage;
  /** `GET /row/{record_id}` for people. */
  row(
    request: FastifyRequest,
    reply: FastifyReply,
    it: { row: Row; reports: readonly Report[] },
  ): Promise<FastifyReply>;
  /** `GET /admin/reports` for people. */
  queue(request: FastifyRequest, reply: FastifyReply, queue: Queue): Promise<FastifyReply>;
}

/**
 * The pages for people: `/`, `/login`, `/receipt/{id}`, `/admin/reports/{id}`, and the forms that only they have. What they
 * do with a script they also do without one.
 */
export async function pageRoutes(app: Gateway, needs: PageNeeds): Promise<Pages> {
  const assets = assetRoutes(app, { folders: ['ui', 'services/catalog'], files: [] });
  const frame = openFrame({ ...needs, assets });
  searchPage(app, { ...needs, frame });
  loginPage(app, { assets, door: needs.door, version: needs.version });
  receiptPage(app, { reports: needs.reports, frame });
  await formRoutes(app, { ...needs, frame });
  return {
    row: rowPage(frame),
    queue: queuePage({ frame, search: needs.search }),
    refusal: refusalPage({
      ...{ assets, version: needs.version, texts, styles: STYLES },
      again: reportAgain({ search: needs.search, frame }),
      login: ({ words, sentence, request }) => <Login words={words} back={backOf(request)} refused={sentence} />,
      loginFor: ({ method, url }) => (method === 'GET' ? `login?${new URLSearchParams({ back: url })}` : 'login'),
    }),
  };
}
