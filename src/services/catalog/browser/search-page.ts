import { announce, byId } from '../../../ui/browser/dom.ts';
import { askAnew, exchange } from '../../../ui/browser/fresh.ts';
import { isTyping } from './keyboard.ts';

/** Long enough for a word to be typed on, short enough to feel like an answer. */
const PAUSE_MS = 250;

const form = byId<HTMLFormElement>('search');
/** The search that is shown. */
let current = location.search;
let asked: AbortController | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

form.addEventListener('submit', (event) => {
  event.preventDefault();
  clearTimeout(timer);
  void show(addressOfForm(), 'push');
});

// What is typed changes the address in place; what is chosen is a step that can be taken back.
addEventListener('input', ({ target }) => {
  if (!isField(target)) return;
  clearTimeout(timer);
  const typed = target.matches('[type=search], [type=text], [type=date]');
  timer = setTimeout(() => void show(addressOfForm(), typed ? 'replace' : 'push'), typed ? PAUSE_MS : 0);
});

addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = (event.target as Element).closest?.<HTMLAnchorElement>('a[data-swap]');
  if (link == null) return;
  event.preventDefault();
  void show(link.href, 'push', link.dataset['swap'] === 'page');
});

addEventListener('keydown', (event) => {
  if (event.key !== '/' || isTyping(event)) return;
  event.preventDefault();
  byId<HTMLInputElement>('q').select();
});

addEventListener('popstate', () => {
  // A step to the filters or back from them is one within the page.
  if (location.search !== current) void show(location.href, 'stay');
});

function isField(target: EventTarget | null): target is HTMLInputElement | HTMLSelectElement {
  const field = target instanceof HTMLInputElement || target instanceof HTMLSelectElement ? target : undefined;
  return field?.form === form;
}

/** As the browser itself would send the form, without what was left empty. */
function addressOfForm(): string {
  const said = [...new FormData(form)].filter(([, value]) => value !== '');
  const query = new URLSearchParams(said.map(([name, value]) => [name, String(value)])).toString();
  return query === '' ? './' : `./?${query}`;
}

/** Shows what this address would show, without leaving the page. `onTop`: as a new page, from its beginning. */
async function show(address: string, how: 'push' | 'replace' | 'stay', onTop = false): Promise<void> {
  asked?.abort();
  const own = new AbortController();
  asked = own;
  const results = byId('results');
  results.setAttribute('aria-busy', 'true');
  const fresh = await askAnew(address, own.signal);
  if (own.signal.aborted) return;
  results.removeAttribute('aria-busy');
  // Half a search may be refused, and the server be away for a moment: who is typing is not to be disturbed by it.
  if (fresh === undefined && how === 'replace') return;
  // A refusal, or a page that is not this one: whatever it is, the browser shows it.
  if (fresh?.getElementById('hits') == null) {
    location.assign(address);
    return;
  }
  if (how === 'push') history.pushState(null, '', address);
  if (how === 'replace') history.replaceState(null, '', address);
  current = location.search;
  takeOver(fresh, how === 'replace');
  if (onTop) {
    results.focus();
    results.scrollIntoView({ block: 'start' });
  }
}

/** `typing`: what has the focus is being written into, and stays as it is. */
function takeOver(fresh: Document, typing: boolean): void {
  const { activeElement } = document;
  const focused = activeElement?.id ?? '';
  for (const place of document.querySelectorAll<HTMLElement>('[data-fresh]')) {
    const replacement = fresh.querySelector<HTMLElement>(`[data-fresh="${place.dataset['fresh']}"]`);
    exchange(place, replacement);
  }
  for (const field of [...form.elements]) if (!typing || field !== activeElement) takeField(field, fresh);
  const link = document.querySelector('.to-filters');
  exchange(link, fresh.querySelector('.to-filters'));
  document.title = fresh.title;
  announce(byId('total').textContent?.trim() ?? '');
  // What had the focus was made anew; where its like is no more, the results are what it led to.
  if (activeElement instanceof HTMLElement && !activeElement.isConnected) {
    document.getElementById(focused)?.focus({ preventScroll: true });
    if (document.activeElement === document.body) byId('results').focus({ preventScroll: true });
  }
}

/** A field says what the address says. */
function takeField(field: Element, fresh: Document): void {
  if (field.closest('[data-fresh]') !== null) return;
  const name = field.getAttribute('name');
  if (name === null) return;
  const same = fresh.querySelector(`[form=search][name="${name}"], #search [name="${name}"]`);
  if (field instanceof HTMLSelectElement && same instanceof HTMLSelectElement) {
    exchange(field, same);
    field.value = same.value;
  } else if (field instanceof HTMLInputElement && same instanceof HTMLInputElement) {
    if (field.type === 'checkbox') field.checked = same.checked;
    else if (field.value !== same.value) field.value = same.value;
  }
}
