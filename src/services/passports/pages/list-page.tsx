import { type Static, Type } from 'typebox';
import type { Gateway } from '../../../http/gateway.ts';
import { fill } from '../../../ui/browser/fill.ts';
import { layout } from '../../../ui/layout.tsx';
import { sendPage } from '../../../ui/send-page.ts';
import { languageOf } from '../../task-routes.ts';
import { CSRF_FIELD } from '../auth/csrf.ts';
import { type ListPage, type ListTexts, listTexts } from '../browser/list-texts.ts';
import type { Document, Status } from '../documents.ts';
import { errorTexts } from './error-texts.ts';
import type { PageNeeds } from './task-page.tsx';

const PER_PAGE = 25;
const STATUSES: readonly Status[] = ['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED', 'ERROR', 'PERMANENT_ERROR'];
const Query = Type.Object({
  page: Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 }),
  status: Type.Optional(Type.Union(STATUSES.map((status) => Type.Literal(status)))),
});

/** `GET /`: new documents in, and the list of those there are, as it changes. */
export function listPage(app: Gateway, needs: PageNeeds): void {
  const { documents, door, assets, version, csrfToken } = needs;
  app.get<{ Querystring: Static<typeof Query> }>(
    '/',
    { config: { access: 'public', page: true }, schema: { hide: true, querystring: Query } },
    async (request, reply) => {
      const { caller, token } = await door.look(request);
      const { page, status } = request.query;
      const wanted = { page, limit: PER_PAGE, ...(status !== undefined && { status }) };
      const { items, total } = caller ? await documents.list(caller.session, wanted) : { items: [], total: 0 };
      const language = languageOf(request.headers['accept-language']);
      const words = listTexts[language];
      const csrf = caller && csrfToken(caller.session);
      const signedIn = token !== undefined;
      const own: ListPage = {
        texts: words,
        page,
        limit: PER_PAGE,
        status: status ?? null,
        signedIn,
        session: caller !== undefined,
        errors: errorTexts[language],
      };
      const html = await layout({
        ...{ language, version, own, assets: await assets() },
        service: words.service,
        title: words.title,
        styles: ['ui/workspace.css', 'services/passports/browser/review.css', 'services/passports/browser/list.css'],
        script: 'services/passports/browser/list-page.js',
        nav: needs.nav({ language, root: '', csrf: token && csrf }),
        children: (
          <>
            <div class="intro">
              <h1 safe>{words.title}</h1>
              <p class="lead" safe>
                {words.lead}
              </p>
            </div>
            {signedIn ? (
              ''
            ) : (
              <p class="notice" safe>
                {words.signedOut}
              </p>
            )}
            <p id="refused" class="notice bad" role="alert" hidden></p>
            <NewDocument words={words} csrf={csrf} />
            <Assembly words={words} />
            <List words={words} items={items} total={total} own={own} language={language} csrf={csrf} />
            <p id="live" class="visually-hidden" role="status"></p>
          </>
        ),
      });
      return sendPage(reply, language, html, { forms: true, personal: true });
    },
  );
}

function NewDocument({ words, csrf }: { words: ListTexts; csrf: string | undefined }): JSX.Element {
  return (
    <section class="panel new-document" aria-labelledby="upload-title">
      <h2 id="upload-title" safe>
        {words.upload}
      </h2>
      <p class="hint needs-script for-mouse" safe>
        {words.drop}
      </p>
      <form id="upload" class="ways" method="post" action="upload" enctype="multipart/form-data">
        <Word csrf={csrf} />
        <label class="button">
          <span safe>{words.choosePdf}</span>
          <input id="pdfs" type="file" name="files" accept="application/pdf,.pdf" multiple required />
        </label>
        <button type="submit" class="primary" safe>
          {words.send}
        </button>
        <label class="button needs-script">
          <span safe>{words.photos}</span>
          <input id="photos" type="file" accept="image/*,.heic,.heif,.tif,.tiff" multiple class="visually-hidden" />
        </label>
        <label class="button needs-script for-touch">
          <span safe>{words.camera}</span>
          <input id="camera" type="file" accept="image/*" class="visually-hidden" {...CAMERA} />
        </label>
      </form>
      <p id="sent" class="hint" role="status"></p>
      <progress id="sending" max="1" value="0" hidden aria-label={words.upload}></progress>
    </section>
  );
}

/** The typings of our JSX do not know this attribute yet. */
const CAMERA = { capture: 'environment' };

/** Filled by the script: without one, photos have no order to be put into. */
function Assembly({ words }: { words: ListTexts }): JSX.Element {
  return (
    <section id="assembly" class="panel assembly" aria-labelledby="assembly-title" hidden>
      <div class="row">
        <h2 id="assembly-title" safe>
          {words.assembly}
        </h2>
        <button type="button" id="make" class="primary"></button>
      </div>
      <p class="hint" safe>
        {words.assemblyWhy}
      </p>
      <ol id="images" class="images"></ol>
      <template id="image">
        <li draggable="true">
          <img alt="" width="256" height="256" loading="lazy" />
          <p class="caption"></p>
          <div class="tools">
            <button type="button" class="small earlier" title={words.earlier} aria-label={words.earlier}>
              ←
            </button>
            <button type="button" class="small turn" title={words.turn} aria-label={words.turn}>
              ↻
            </button>
            <button type="button" class="small drop1" title={words.drop1} aria-label={words.drop1}>
              ×
            </button>
            <button type="button" class="small later" title={words.later} aria-label={words.later}>
              →
            </button>
          </div>
        </li>
      </template>
    </section>
  );
}

function List(given: {
  words: ListTexts;
  items: readonly Document[];
  total: number;
  own: ListPage;
  language: 'en' | 'ru';
  csrf: string | undefined;
}): JSX.Element {
  const { words, items, total, own, language, csrf } = given;
  const { page, status, signedIn } = own;
  const pages = Math.max(1, Math.ceil(total / PER_PAGE));
  const address = (to: number, of: string | null) => {
    const query = new URLSearchParams({ ...(of !== null && { status: of }), ...(to > 1 && { page: String(to) }) });
    return query.size === 0 ? './' : `?${query}`;
  };
  return (
    <section aria-labelledby="documents-title">
      <div class="row">
        <h2 id="documents-title" safe>
          {words.documents}
        </h2>
        <p id="touch" class="hint" role="status"></p>
      </div>
      <nav class="filters" aria-label={words.state}>
        {[null, ...STATUSES].map((each) => (
          <a href={address(1, each)} aria-current={each === status ? 'true' : undefined} safe>
            {each === null ? words.all : words.statuses[each]}
          </a>
        ))}
      </nav>
      <p id="none" class="hint" hidden={items.length > 0} safe>
        {status === null ? words.none : words.noneSuch}
      </p>
      <ul id="documents" class="documents">
        {items.map((item) => (
          <Item item={item} words={words} language={language} csrf={csrf} signedIn={signedIn} />
        ))}
      </ul>
      <template id="document">
        <Item item={undefined} words={words} language={language} csrf={csrf} signedIn={signedIn} />
      </template>
      <div class="row">
        <p class="paging" hidden={pages === 1}>
          {page > 1 ? (
            <a href={address(page - 1, status)} rel="prev" safe>
              {`← ${words.previous}`}
            </a>
          ) : (
            ''
          )}{' '}
          <span safe>{fill(words.pageOf, { page, pages })}</span>{' '}
          {page < pages ? (
            <a href={address(page + 1, status)} rel="next" safe>
              {`${words.next} →`}
            </a>
          ) : (
            ''
          )}
        </p>
        <p class="exports" hidden={!own.session}>
          <a href="export/session/excel" safe>
            {words.exportSession}
          </a>
          {signedIn ? (
            <>
              {' · '}
              <a href="export/all/excel" safe>
                {words.exportAll}
              </a>
            </>
          ) : (
            ''
          )}
        </p>
      </div>
    </section>
  );
}

/** One document; without one, the mould from which the script makes another. What its state has not is hidden. */
function Item(given: {
  item: Document | undefined;
  words: ListTexts;
  language: 'en' | 'ru';
  csrf: string | undefined;
  signedIn: boolean;
}): JSX.Element {
  const { item, words, language, csrf, signedIn } = given;
  const { id = '', filename = '', status = 'PENDING', progress = null, cached = false } = item ?? {};
  const when = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
  return (
    <li data-id={id} data-status={status}>
      <div class="what">
        <a class="name" href={signedIn ? `task/${id}` : undefined} safe>
          {filename}
        </a>
        <p class="hint">
          <time datetime={item?.createdAt.toISOString() ?? ''} safe>
            {item === undefined ? '' : when.format(item.createdAt)}
          </time>
          <span class="cached" hidden={!cached} safe>{` · ${words.cached}`}</span>
          <span class="why" safe>
            {item?.errorType ? ` · ${errorTexts[language][item.errorType]}` : ''}
          </span>
        </p>
      </div>
      <div class="how">
        <p class={`state ${status.toLowerCase()}`} safe>
          {words.statuses[status]}
        </p>
        <progress
          max="1"
          value={String(progress ?? 0)}
          hidden={status !== 'PROCESSING'}
          aria-label={words.state}
        ></progress>
      </div>
      <div class="tools" hidden={!signedIn}>
        <a class="button small export" data-path="excel" href={`export/${id}/excel`} hidden={status !== 'SUCCESS'} safe>
          {words.excel}
        </a>
        <a class="button small export" data-path="pdf" href={`export/${id}/pdf`} hidden={status !== 'SUCCESS'} safe>
          {words.pdf}
        </a>
        <button type="button" class="small retry needs-script" hidden={status !== 'FAILED' && status !== 'ERROR'} safe>
          {words.retry}
        </button>
        <details class="rename">
          <summary class="button small" safe>
            {RENAME[language]}
          </summary>
          <form method="post" action={`task/${id}/rename`}>
            <Word csrf={csrf} />
            <input name="name" type="text" value={filename} maxlength="255" required aria-label={words.name} />
            <button type="submit" class="small">
              OK
            </button>
          </form>
        </details>
        <button type="button" class="small remove needs-script" safe>
          {words.remove}
        </button>
      </div>
    </li>
  );
}

const RENAME = { en: 'Rename', ru: 'Переименовать' };

/** Nobody's session has no word to carry. */
const Word = ({ csrf }: { csrf: string | undefined }): JSX.Element =>
  csrf === undefined ? '' : <input type="hidden" name={CSRF_FIELD} value={csrf} />;
