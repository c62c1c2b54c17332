import { A } from './text-elements.tsx';
import { type UiLanguage, uiTexts } from './texts.ts';

export interface ServiceLink {
  readonly name: string;
  readonly title: string;
  /** Absent for the service of this page. */
  readonly href?: string;
}

export function ServiceLinks(page: {
  links: readonly ServiceLink[];
  language: UiLanguage;
  root: string;
  overview: boolean;
}): JSX.Element {
  const { links, root, overview } = page;
  const ui = uiTexts[page.language];
  return (
    <nav class="service-links" aria-label={ui.services}>
      <ul>
        {links.map(({ title, href }) => (
          <li>
            <a href={href ?? (root || './')} aria-current={href === undefined && !overview ? 'true' : undefined} safe>
              {title}
            </a>
          </li>
        ))}
        <li>
          <A href={`${root}overview`} aria-current={overview ? 'page' : undefined} text={ui.overview} />
        </li>
      </ul>
    </nav>
  );
}
