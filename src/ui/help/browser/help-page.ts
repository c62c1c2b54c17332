import { copyOnClick } from '../../browser/copy.ts';
import { announce, byId, el, fill } from '../../browser/dom.ts';
import { pageData } from '../../browser/page-data.ts';
import type { HelpData } from '../texts.ts';
import { type SearchData, type SearchSection, searchSections, snippet } from './search.ts';

const { words, root } = pageData<HelpData>().data;

for (const block of document.querySelectorAll<HTMLElement>('.code')) {
  const button = el('button', { type: 'button', class: 'small' }, words.copy);
  copyOnClick(button, () => block.querySelector('code')?.textContent ?? '', words);
  block.append(button);
}

const input = byId<HTMLInputElement>('help-search');
byId('help-search-box').hidden = false;

/** Loaded on the first search. */
let loading: Promise<readonly SearchSection[]> | undefined;
function passages(): Promise<readonly SearchSection[]> {
  loading ??= fetch(`${root}help/passages.json`).then(async (answer) => ((await answer.json()) as SearchData).passages);
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
}

async function search(): Promise<void> {
  const query = input.value.trim();
  try {
    const found = query === '' ? [] : searchSections(await passages(), query);
    // The query has changed since.
    if (input.value.trim() !== query) return;
    byId('help-results').replaceChildren(...found.map((passage) => resultItem(passage, query)));
    showStatus(query === '' ? '' : found.length === 0 ? words.nothing : fill(words.found, { count: found.length }));
  } catch {
    byId('help-results').replaceChildren();
    showStatus(words.unreachable);
  }
  byId('help-results').hidden = query === '';
}

function showStatus(sentence: string): void {
  byId('help-count').textContent = sentence;
  announce(sentence);
}

function resultItem({ address, page, title, text }: SearchSection, query: string): HTMLLIElement {
  const { before, hit, after } = snippet(text, query);
  const link = el('a', { href: root + address, class: 'section' }, title);
  const pageTitle = title === page ? [] : [el('span', { class: 'page-title' }, page)];
  return el(
    'li',
    {},
    link,
    ...pageTitle,
    el('span', { class: 'excerpt', lang: 'en' }, before, el('mark', {}, hit), after),
  );
}

input.addEventListener('input', () => void search());
