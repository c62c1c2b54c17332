import { omitUndefined } from '../../../base/omit-undefined.ts';
import { fill } from '../../../ui/browser/fill.ts';
import { A, Button, H2, P, Span, Summary } from '../../../ui/text-elements.tsx';
import { Timestamp } from '../../../ui/timestamp.tsx';
import { CsrfInput } from '../../shared/csrf-input.tsx';
import type { ListTexts } from '../browser/list-texts.ts';
import { type Document, STATUSES, type Status } from '../documents.ts';
import { errorTexts } from '../failures.ts';

export const PER_PAGE = 25;

interface ListProps {
  texts: ListTexts;
  items: readonly Document[];
  total: number;
  page: number;
  status: Status | null;
  /** Only these documents are listed. */
  group: { readonly project?: string | undefined; readonly tag?: string | undefined };
  hasSession: boolean;
  signedIn: boolean;
  language: 'en' | 'ru';
  csrf: string | undefined;
}

export function DocumentList(props: ListProps): JSX.Element {
  const { texts, items, total, page, status, group, signedIn } = props;
  const pages = countPages(total);
  const pageUrl = (to: number, of: string | null) => listUrl(pageQuery(to, of, group));
  const exportQuery = new URLSearchParams(omitUndefined(group));
  const isFiltered = status !== null || exportQuery.size > 0;
  return (
    <section aria-labelledby="documents-title">
      <div class="row">
        <H2 id="documents-title" text={texts.documents} />
        <p id="connection-status" class="hint" role="status"></p>
      </div>
      <nav class="filters" aria-label={texts.state}>
        {[null, ...STATUSES].map((each) => (
          <a href={pageUrl(1, each)} aria-current={each === status ? 'true' : undefined} safe>
            {each === null ? texts.all : texts.statuses[each]}
          </a>
        ))}
      </nav>
      {exportQuery.size > 0 && (
        <p class="hint groups">
          <span safe>{texts.filtered}</span>{' '}
          {[...exportQuery].map(([name, value]) => (
            <a
              class="group"
              href={listUrl({ ...omitUndefined({ ...group, [name]: undefined }), ...(status !== null && { status }) })}
              aria-label={fill(texts.clearFilter, { value })}
            >
              <bdi safe>{value}</bdi> <span aria-hidden="true">×</span>
            </a>
          ))}
        </p>
      )}
      <p id="no-documents" class="hint" hidden={items.length > 0} safe>
        {isFiltered ? texts.noMatches : texts.none}
      </p>
      <ul id="documents" class="documents">
        {items.map((item) => (
          <Item item={item} list={props} />
        ))}
      </ul>
      <div class="row">
        <p id="paging" class="paging" hidden={pages === 1}>
          {page > 1 && <A href={pageUrl(page - 1, status)} rel="prev" text={`← ${texts.previous}`} />}{' '}
          <span safe>{fill(texts.pageOf, { page, pages })}</span>{' '}
          {page < pages && <A href={pageUrl(page + 1, status)} rel="next" text={`${texts.next} →`} />}
        </p>
        <p class="exports" hidden={!props.hasSession}>
          <A href={`export/session/excel${exportQuery.size > 0 ? `?${exportQuery}` : ''}`} text={texts.exportSession} />
          {signedIn && (
            <>
              {' · '}
              <A href="export/all/excel" text={texts.exportAll} />
              {' · '}
              <A href="quality" text={texts.quality} />
            </>
          )}
        </p>
      </div>
    </section>
  );
}

export const countPages = (total: number): number => Math.max(1, Math.ceil(total / PER_PAGE));

export const pageQuery = (page: number, status: string | null, group: ListProps['group']): Record<string, string> => ({
  ...omitUndefined(group),
  ...(status !== null && { status }),
  ...(page > 1 && { page: String(page) }),
});

const listUrl = (query: Readonly<Record<string, string>>) =>
  Object.keys(query).length === 0 ? './' : `?${new URLSearchParams(query)}`;

/** The project and the tags, each of which opens its documents. */
export function Groups({ document: { project, tags }, root }: { document: Document; root: string }): JSX.Element {
  if (project === null && tags === null) return '';
  return (
    <p class="groups">
      {project !== null && (
        <A class="group" href={`${root}?${new URLSearchParams({ project })}`} dir="auto" text={project} />
      )}
      {(tags ?? []).map((tag) => (
        <A class="group" href={`${root}?${new URLSearchParams({ tag })}`} dir="auto" text={tag} />
      ))}
    </p>
  );
}

/** Hides elements that do not apply to the status, so that the script can show them. */
function Item({ item, list }: { item: Document; list: ListProps }): JSX.Element {
  const { texts, language, csrf, signedIn } = list;
  const { id, filename, status, progress, cached, createdAt, errorType } = item;
  return (
    <li data-id={id} data-status={status}>
      <div class="summary">
        <A class="name" href={signedIn ? `task/${id}` : undefined} text={filename} />
        <p class="hint">
          <Timestamp at={createdAt} language={language} />
          <span class="cached" hidden={!cached} safe>{` · ${texts.cached}`}</span>
          <Span class="failure" text={errorType ? ` · ${errorTexts[language][errorType]}` : ''} />
        </p>
        <Groups document={item} root="./" />
      </div>
      <div class="progress-status">
        <P class={`state ${status.toLowerCase()}`} text={texts.statuses[status]} />
        <progress
          max="1"
          value={String(progress ?? 0)}
          hidden={status !== 'PROCESSING'}
          aria-label={texts.state}
        ></progress>
      </div>
      <div class="tools" hidden={!signedIn}>
        <a class="button small export" href={`export/${id}/excel`} hidden={status !== 'SUCCESS'} safe>
          {texts.excel}
        </a>
        <a class="button small export" href={`export/${id}/pdf`} hidden={status !== 'SUCCESS'} safe>
          {texts.pdf}
        </a>
        <button type="button" class="small retry needs-script" hidden={status !== 'FAILED' && status !== 'ERROR'} safe>
          {texts.retry}
        </button>
        <details class="rename">
          <Summary class="button small" text={RENAME[language]} />
          <form method="post" action={`task/${id}/rename`}>
            <CsrfInput csrf={csrf} />
            <input name="name" type="text" value={filename} maxlength="255" required aria-label={texts.name} />
            <button type="submit" class="small">
              OK
            </button>
          </form>
        </details>
        <Button type="button" class="small remove needs-script" text={texts.remove} />
      </div>
    </li>
  );
}

const RENAME = { en: 'Rename', ru: 'Переименовать' };
