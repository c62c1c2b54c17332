import { type UiLanguage, uiTexts } from './texts.ts';

/** A service of this installation in the header of every page. */
export interface ServiceLink {
  readonly name: string;
  readonly title: string;
  /** Absent: it is the one whose page this is. */
  readonly href?: string;
}

/** The way from each service to the others, and to what shows them all at once. */
export function ServiceLinks(page: {
  links: readonly ServiceLink[];
  language: UiLanguage;
  root: string;
  /** Whether this page is the overview. */
  overview: boolean;
}): JSX.Element {
  const { links, root, overview } = page;
  const ui = uiTexts[page.language];
  return (
    <nav class="places" aria-label={ui.services}>
      <ul>
        {links.map(({ title, href }) => (
          <li>
            <a href={href ?? (root || './')} aria-current={href === undefined && !overview ? 'true' : undefined} safe>
              {title}
            </a>
          </li>
        ))}
        <li>
          <a href={`${root}overview`} aria-current={overview ? 'page' : undefined} safe>
            {ui.overview}
          </a>
        </li>
      </ul>
    </nav>
  );
}
