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
  readonly guard: Door;
  readonly csrf: Csrf;
  readonly cookies: CookieRules;
  readonly version: string;
}

export interface Pages {
  readonly refusal: RefusalPage;
  row(
    request: FastifyRequest,
    reply: FastifyReply,
    it: { row: Row; reports: readonly Report[] },
  ): Promise<FastifyReply>;
  queue(request: FastifyRequest, reply: FastifyReply, queue: Queue): Promise<FastifyReply>;
}

/** All pages work without scripts. */
export async function pageRoutes(app: Gateway, deps: PageNeeds): Promise<Pages> {
  const assets = assetRoutes(app, { folders: ['ui', 'services/catalog'], files: [] });
  const frame = openFrame({ ...deps, assets });
  searchPage(app, { ...deps, frame });
  loginPage(app, { assets, guard: deps.guard, version: deps.version });
  receiptPage(app, { reports: deps.reports, frame });
  await formRoutes(app, { ...deps, frame });
  return {
    row: rowPage(frame),
    queue: queuePage({ frame, search: deps.search }),
    refusal: refusalPage({
      ...{ assets, version: deps.version, texts, styles: STYLES },
      again: reportAgain({ search: deps.search, frame }),
      login: ({ words, sentence, request }) => <Login words={words} back={backOf(request)} refused={sentence} />,
      loginFor: ({ method, url }) => (method === 'GET' ? `login?${new URLSearchParams({ back: url })}` : 'login'),
    }),
  };
}
