import { type Static, Type } from 'typebox';
import type { Gateway } from '../../../http/gateway.ts';
import { batchTexts } from '../../../ui/browser/batch-texts.ts';
import { PageIntro } from '../../../ui/page-intro.tsx';
import { A, P } from '../../../ui/text-elements.tsx';
import { ListQuery } from '../api-schema.ts';
import { type ListPage, listTexts } from '../browser/list-texts.ts';
import type { DocumentStore } from '../store/postgres.ts';
import { countPages, DocumentList, PER_PAGE, pageQuery } from './document-list.tsx';
import type { Frame } from './frame.tsx';
import { NewDocument, PageOrder } from './new-document.tsx';

const Query = Type.Omit(ListQuery, ['limit']);

export function listPage(
  app: Gateway,
  { frame, documents, maxImages }: { frame: Frame; documents: DocumentStore; maxImages: number },
): void {
  app.get<{ Querystring: Static<typeof Query> }>(
    '/',
    { config: { access: 'public', page: true }, schema: { hide: true, querystring: Query } },
    async (request, reply) => {
      const viewer = await frame.viewer(request);
      const { caller, signedIn, csrf, language } = viewer;
      const { page, status, project, tag } = request.query;
      const filter = { page, limit: PER_PAGE, status, project, tag };
      const { items, total } = caller ? await documents.list(caller.session, filter) : { items: [], total: 0 };
      const last = countPages(total);
      // The documents of a page can be deleted while it is open.
      if (page > last) {
        const query = new URLSearchParams(pageQuery(last, status ?? null, { project, tag }));
        return reply.redirect(query.size === 0 ? '/' : `/?${query}`, 303);
      }
      const texts = listTexts[language];
      const hasSession = caller !== undefined;
      return frame.send(reply, viewer, {
        title: texts.title,
        data: { texts, hasSession, maxImages } satisfies ListPage,
        styles: ['services/passports/browser/review.css', 'services/passports/browser/list.css'],
        script: 'services/passports/browser/list-page.js',
        children: (
          <>
            <PageIntro title={texts.title} lead={texts.lead}>
              {signedIn && (
                <p>
                  <A href="batch" text={batchTexts[language].link} /> · <A href="templates" text={texts.templates} />
                </p>
              )}
            </PageIntro>
            {!signedIn && <P class="notice" text={texts.signedOut} />}
            <p id="error" class="notice bad" role="alert" hidden></p>
            <NewDocument texts={texts} csrf={csrf} />
            <PageOrder texts={texts} />
            <DocumentList
              {...{
                texts,
                items,
                total,
                page,
                status: status ?? null,
                group: { project, tag },
                hasSession,
                signedIn,
                language,
                csrf,
              }}
            />
            <p id="live" class="visually-hidden" role="status"></p>
          </>
        ),
      });
    },
  );
}
