import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../base/api-error.ts';
import { wantsPage } from '../../http/accept-header.ts';
import { matchesETag, weakETag } from '../../http/etag.ts';
import type { Gateway } from '../../http/gateway.ts';
import type { SearchData } from '../../ui/help/browser/search.ts';
import { helpView, missingView } from '../../ui/help/help-view.tsx';
import { type HelpPage, INDEX_PAGE, readHelp } from '../../ui/help/pages.ts';
import { rootOf } from '../../ui/root.ts';
import { sendPage } from '../../ui/send-page.ts';
import { serviceLinks } from './service-links.ts';
import { preferredLanguage } from './task-routes.ts';

/** The `docs/` folder of the package, from `src/` or `dist/`. */
const DOCUMENTS = new URL('../../../docs/', import.meta.url);

const OPEN = { config: { access: 'public' }, schema: { hide: true } } as const;

/** `GET /help`, `GET /help/{page}` and the search data, without authentication. */
export function helpRoutes(app: Gateway, { version, folder = DOCUMENTS }: { version: string; folder?: URL }): void {
  let loading: Promise<readonly HelpPage[]> | undefined;
  const documents = () => {
    loading ??= readHelp(folder);
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  };

  async function send(name: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const pages = await documents();
    const page = pages.find((each) => each.name === name);
    if (page === undefined && !wantsPage(request.headers.accept)) throw noSuchPage(pages);
    const language = preferredLanguage(request.headers['accept-language']);
    const root = rootOf(request.url);
    const shell = {
      ...{ language, version, root, pages },
      assets: await app.assets!(),
      services: serviceLinks(request, language),
    };
    // The page is in the reader's language, the documentation in English.
    const languages = language === 'en' ? 'en' : `${language}, en`;
    if (page === undefined) return sendPage(reply.code(404), language, await missingView(shell));
    const html = await helpView({ ...shell, page });
    const etag = weakETag(html);
    void reply.header('etag', etag);
    if (matchesETag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return sendPage(reply, languages, html);
  }

  app.get('/help', OPEN, (request, reply) => send(INDEX_PAGE, request, reply));

  app.get<{ Params: { page: string } }>('/help/:page', OPEN, (request, reply) => {
    const { page } = request.params;
    if (page === INDEX_PAGE || page === '') return reply.redirect('../help', 308);
    return send(page, request, reply);
  });

  app.get('/help/passages.json', OPEN, async (request, reply) => {
    const passages = (await documents()).flatMap(({ title: page, address, sections }) =>
      sections.map(({ id, title, text }) => ({ address: `${address}#${id}`, page, title, text })),
    );
    const body = JSON.stringify({ passages } satisfies SearchData);
    const etag = weakETag(body);
    void reply.headers({ etag, 'cache-control': 'no-cache', 'content-type': 'application/json; charset=utf-8' });
    if (matchesETag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.send(body);
  });
}

const noSuchPage = (pages: readonly HelpPage[]) =>
  new ApiError(
    'NOT_FOUND',
    404,
    pages.length === 0 ? 'The documentation is not installed.' : 'This help page does not exist.',
  );
