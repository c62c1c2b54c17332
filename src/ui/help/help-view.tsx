import type { Assets } from '../assets.ts';
import { layout } from '../layout.tsx';
import type { Root } from '../root.ts';
import type { ServiceLink } from '../service-links.tsx';
import { A, H2, Label, P, Span } from '../text-elements.tsx';
import type { UiLanguage } from '../texts.ts';
import type { HelpPage } from './pages.ts';
import { type HelpData, type HelpTexts, helpTexts } from './texts.ts';

interface View {
  readonly language: UiLanguage;
  readonly version: string;
  readonly assets: Assets;
  readonly services: readonly ServiceLink[];
  readonly root: Root;
  /** In reading order. */
  readonly pages: readonly HelpPage[];
}

export function helpView(view: View & { page: HelpPage }): Promise<string> {
  const { pages, page, root, language } = view;
  const words = helpTexts[language];
  const index = pages.indexOf(page);
  return frame(view, page.title, page, [
    words.english === '' ? '' : <P class="hint" text={words.english} />,
    <article class="document" lang="en">
      {page.html}
    </article>,
    <nav class="page-links" aria-label={words.around}>
      <PageLink label={words.previous} page={pages[index - 1]} root={root} rel="prev" />
      <PageLink label={words.next} page={pages[index + 1]} root={root} rel="next" />
    </nav>,
  ]);
}

/** For an unknown name, or if the documentation is not installed. */
export function missingView(view: View): Promise<string> {
  const { pages, root, language } = view;
  const words = helpTexts[language];
  const isMissing = pages.length === 0;
  const title = isMissing ? words.absentTitle : words.missingTitle;
  return frame(view, title, undefined, [
    <div class="document">
      <h1 safe>{title}</h1>
      <p>
        <span safe>{isMissing ? words.absent : words.missing}</span> {isMissing && <a href={`${root}docs`}>/docs</a>}
      </p>
      {!isMissing && <PageList pages={pages} root={root} />}
    </div>,
  ]);
}

function frame(view: View, title: string, page: HelpPage | undefined, children: JSX.Element[]): Promise<string> {
  const { language, version, assets, services, root, pages } = view;
  const words = helpTexts[language];
  const { copy, copied, found, nothing, unreachable } = words;
  const data: HelpData = { words: { copy, copied, found, nothing, unreachable }, root };
  return layout({
    ...{ language, version, assets, services, root, data, title },
    service: words.help,
    styles: ['ui/help/help.css'],
    ...(pages.length > 0 && { script: 'ui/help/browser/help-page.js' }),
    children: (
      <div class="help">
        {pages.length > 0 && <Contents pages={pages} page={page} root={root} words={words} />}
        <div class="sheet">{children}</div>
        <p id="live" class="visually-hidden" role="status"></p>
      </div>
    ),
  });
}

/** Collapsed on narrow screens, a sidebar on wide ones (see help.css). */
function Contents(props: {
  pages: readonly HelpPage[];
  page: HelpPage | undefined;
  root: string;
  words: HelpTexts;
}): JSX.Element {
  const { pages, page, root, words } = props;
  const headings = page?.sections.filter(({ depth }) => depth === 2) ?? [];
  return (
    <details class="contents">
      <summary safe>{words.contents}</summary>
      <div class="contents-body">
        <search id="help-search-box" hidden>
          <Label class="visually-hidden" for="help-search" text={words.search} />
          <input id="help-search" type="search" autocomplete="off" spellcheck="false" placeholder={words.search} />
          <p id="help-count" class="hint"></p>
          <ul id="help-results" hidden></ul>
        </search>
        <nav aria-label={words.pages} lang="en">
          <PageList pages={pages} root={root} page={page} />
        </nav>
        {headings.length > 0 && (
          <nav class="headings" aria-labelledby="help-headings">
            <H2 id="help-headings" text={words.onThisPage} />
            <ul lang="en">
              {headings.map(({ id, title }) => (
                <li>
                  <A href={`#${id}`} text={title} />
                </li>
              ))}
            </ul>
          </nav>
        )}
      </div>
    </details>
  );
}

function PageList({ pages, page, root }: { pages: readonly HelpPage[]; page?: HelpPage | undefined; root: string }) {
  return (
    <ul>
      {pages.map((each) => (
        <li>
          <A href={root + each.address} aria-current={each === page ? 'page' : undefined} text={each.title} />
        </li>
      ))}
    </ul>
  );
}

function PageLink(way: { label: string; page: HelpPage | undefined; root: string; rel: string }): JSX.Element {
  const { label, page, root, rel } = way;
  if (page === undefined) return '';
  return (
    <a href={root + page.address} rel={rel} class={rel}>
      <Span class="hint" text={label} />
      <Span lang="en" text={page.title} />
    </a>
  );
}
