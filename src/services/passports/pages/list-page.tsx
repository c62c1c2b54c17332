import { type Static, Type } from 'typebox';
import type { Gateway } from '../../../http/gateway.ts';
import { layout } from '../../../ui/layout.tsx';
import { sendPage } from '../../../ui/send-page.ts';
import { serviceLinks } from '../../shared/service-links.ts';
import { preferredLanguage } from '../../shared/task-routes.ts';
import { ListQuery } from '../api-schema.ts';
import { type ListPage, listTexts } from '../browser/list-texts.ts';
import { DocumentList, PER_PAGE } from './document-list.tsx';
import { NewDocument, PageOrder } from './new-document.tsx';
import type { PageDeps } from './task-page.tsx';

const Query = Type.Omit(ListQuery, ['limit']);

export function listPage(app: Gateway, deps: PageDeps): void {
  const { documents, authGuard, assets, version, csrfToken } = deps;
  app.get<{ Querystring: Static<typeof Query> }>(
    '/',
    { config: { access: 'public', page: true }, schema: { hide: true, querystring: Query } },
    async (request, reply) => {
      const { caller, token } = await authGuard.identify(request);
      const { page, status } = request.query;
      const filter = { page, limit: PER_PAGE, ...(status !== undefined && { status }) };
      const { items, total } = caller ? await documents.list(caller.session, filter) : { items: [], total: 0 };
      const language = preferredLanguage(request.headers['accept-language']);
      const texts = listTexts[language];
      const csrf = caller && csrfToken(caller.session);
      const signedIn = token !== undefined;
      const hasSession = caller !== undefined;
      const own: ListPage = { texts, hasSession };
      const html = await layout({
        ...{ language, version, own, assets: await assets() },
        service: texts.service,
        services: serviceLinks(request, language),
        title: texts.title,
        styles: ['ui/workspace.css', 'services/passports/browser/review.css', 'services/passports/browser/list.css'],
        script: 'services/passports/browser/list-page.js',
        nav: deps.nav({ language, root: '', csrf: token && csrf }),
        children: (
          <>
            <div class="intro">
              <h1 safe>{texts.title}</h1>
              <p class="lead" safe>
                {texts.lead}
              </p>
            </div>
            {!signedIn && (
              <p class="notice" safe>
                {texts.signedOut}
              </p>
            )}
            <p id="refused" class="notice bad" role="alert" hidden></p>
            <NewDocument texts={texts} csrf={csrf} />
            <PageOrder texts={texts} />
            <DocumentList
              {...{ texts, items, total, page, status: status ?? null, hasSession, signedIn, language, csrf }}
            />
            <p id="live" class="visually-hidden" role="status"></p>
          </>
        ),
      });
      return sendPage(reply, language, html, { forms: true, personal: true });
    },
  );
}
