import { createDateFormat } from '../../../ui/browser/date-format.ts';
import { fill } from '../../../ui/browser/fill.ts';
import { CsrfInput } from '../../shared/csrf-input.tsx';
import type { ListPage, ListTexts } from '../browser/list-texts.ts';
import type { Document, Status } from '../documents.ts';
import { errorTexts } from '../failures.ts';

export const PER_PAGE = 25;
export const STATUSES: readonly Status[] = ['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED', 'ERROR', 'PERMANENT_ERROR'];

export function DocumentList(props: {
  texts: ListTexts;
  items: readonly Document[];
  total: number;
  own: ListPage;
  language: 'en' | 'ru';
  csrf: string | undefined;
}): JSX.Element {
  const { texts, items, total, own, language, csrf } = props;
  const { page, status, signedIn } = own;
  const pages = Math.max(1, Math.ceil(total / PER_PAGE));
  const pageUrl = (to: number, of: string | null) => {
    const query = new URLSearchParams({ ...(of !== null && { status: of }), ...(to > 1 && { page: String(to) }) });
    return query.size === 0 ? './' : `?${query}`;
  };
  return (
    <section aria-labelledby="documents-title">
      <div class="row">
        <h2 id="documents-title" safe>
          {texts.documents}
        </h2>
        <p id="touch" class="hint" role="status"></p>
      </div>
      <nav class="filters" aria-label={texts.state}>
        {[null, ...STATUSES].map((each) => (
          <a href={pageUrl(1, each)} aria-current={each === status ? 'true' : undefined} safe>
            {each === null ? texts.all : texts.statuses[each]}
          </a>
        ))}
      </nav>
      <p id="none" class="hint" hidden={items.length > 0} safe>
        {status === null ? texts.none : texts.noMatches}
      </p>
      <ul id="documents" class="documents">
        {items.map((item) => (
          <Item item={item} texts={texts} language={language} csrf={csrf} signedIn={signedIn} />
        ))}
      </ul>
      <template id="document">
        <Item item={undefined} texts={texts} language={language} csrf={csrf} signedIn={signedIn} />
      </template>
      <div class="row">
        <p class="paging" hidden={pages === 1}>
          {page > 1 ? (
            <a href={pageUrl(page - 1, status)} rel="prev" safe>
              {`← ${texts.previous}`}
            </a>
          ) : (
            ''
          )}{' '}
          <span safe>{fill(texts.pageOf, { page, pages })}</span>{' '}
          {page < pages ? (
            <a href={pageUrl(page + 1, status)} rel="next" safe>
              {`${texts.next} →`}
            </a>
          ) : (
            ''
          )}
        </p>
        <p class="exports" hidden={!own.session}>
          <a href="export/session/excel" safe>
            {texts.exportSession}
          </a>
          {signedIn ? (
            <>
              {' · '}
              <a href="export/all/excel" safe>
                {texts.exportAll}
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

/** Without `item`, the template for the script. Hides elements that do not apply to the status. */
function Item(props: {
  item: Document | undefined;
  texts: ListTexts;
  language: 'en' | 'ru';
  csrf: string | undefined;
  signedIn: boolean;
}): JSX.Element {
  const { item, texts, language, csrf, signedIn } = props;
  const { id = '', filename = '', status = 'PENDING', progress = null, cached = false } = item ?? {};
  const dateFormat = createDateFormat(language, 'UTC');
  return (
    <li data-id={id} data-status={status}>
      <div class="what">
        <a class="name" href={signedIn ? `task/${id}` : undefined} safe>
          {filename}
        </a>
        <p class="hint">
          <time datetime={item?.createdAt.toISOString() ?? ''} safe>
            {item === undefined ? '' : dateFormat.format(item.createdAt)}
          </time>
          <span class="cached" hidden={!cached} safe>{` · ${texts.cached}`}</span>
          <span class="why" safe>
            {item?.errorType ? ` · ${errorTexts[language][item.errorType]}` : ''}
          </span>
        </p>
      </div>
      <div class="how">
        <p class={`state ${status.toLowerCase()}`} safe>
          {texts.statuses[status]}
        </p>
        <progress
          max="1"
          value={String(progress ?? 0)}
          hidden={status !== 'PROCESSING'}
          aria-label={texts.state}
        ></progress>
      </div>
      <div class="tools" hidden={!signedIn}>
        <a class="button small export" data-path="excel" href={`export/${id}/excel`} hidden={status !== 'SUCCESS'} safe>
          {texts.excel}
        </a>
        <a class="button small export" data-path="pdf" href={`export/${id}/pdf`} hidden={status !== 'SUCCESS'} safe>
          {texts.pdf}
        </a>
        <button type="button" class="small retry needs-script" hidden={status !== 'FAILED' && status !== 'ERROR'} safe>
          {texts.retry}
        </button>
        <details class="rename">
          <summary class="button small" safe>
            {RENAME[language]}
          </summary>
          <form method="post" action={`task/${id}/rename`}>
            <CsrfInput csrf={csrf} />
            <input name="name" type="text" value={filename} maxlength="255" required aria-label={texts.name} />
            <button type="submit" class="small">
              OK
            </button>
          </form>
        </details>
        <button type="button" class="small remove needs-script" safe>
          {texts.remove}
        </button>
      </div>
    </li>
  );
}

const RENAME = { en: 'Rename', ru: 'Переименовать' };
