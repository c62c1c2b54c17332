import { fill } from '../../../ui/browser/fill.ts';
import type { Texts } from './texts.ts';

/** Empty if all fits on one page. */
export function Paging(props: {
  page: number;
  pages: number;
  address: (page: number) => string;
  words: Texts;
}): JSX.Element {
  const { page, pages, address, words } = props;
  if (pages === 1) return '';
  const position = fill(words.pageOf, { page, pages });
  return (
    <nav class="paging" aria-label={position}>
      {page > 1 && (
        <a class="button" rel="prev" id="page-prev" href={address(page - 1)} data-swap="page" safe>
          {`← ${words.earlier}`}
        </a>
      )}
      <span safe>{position}</span>
      {page < pages && (
        <a class="button" rel="next" id="page-next" href={address(page + 1)} data-swap="page" safe>
          {`${words.next} →`}
        </a>
      )}
    </nav>
  );
}

export const countPages = (total: number, limit: number): number => Math.max(1, Math.ceil(total / limit));
