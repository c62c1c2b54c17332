import { announce, byId } from '../../../ui/browser/dom.ts';
import { showLocalTimes } from '../../../ui/browser/local-times.ts';
import { fetchPage, replaceContent, replaceFresh } from '../../../ui/browser/refresh.ts';
import { isTyping } from './keyboard.ts';

/** Chosen: longer than the pause between two keys. */
const DEBOUNCE_MS = 250;

showLocalTimes(document);
const form = byId<HTMLFormElement>('search');
let current = location.search;
let pendingRequest: AbortController | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

form.addEventListener('submit', (event) => {
  event.preventDefault();
  clearTimeout(timer);
  void show(addressOfForm(), 'push');
});

// Typing replaces the history entry; a choice adds one.
addEventListener('input', ({ target }) => {
  if (!isField(target)) return;
  clearTimeout(timer);
  if (target instanceof HTMLInputElement && target.checked) clearOpposite(target);
  const typed = target.matches('[type=search], [type=text], [type=number], [type=date]');
  timer = setTimeout(() => void show(addressOfForm(), typed ? 'replace' : 'push'), typed ? DEBOUNCE_MS : 0);
});

addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = (event.target as Element).closest?.<HTMLAnchorElement>('a[data-swap]');
  if (link == null) return;
  event.preventDefault();
  clearTimeout(timer);
  clearFieldsWithout(new URL(link.href).searchParams);
  void show(link.href, 'push', link.dataset['swap'] === 'page');
});

addEventListener('keydown', (event) => {
  if (event.key !== '/' || isTyping(event)) return;
  event.preventDefault();
  byId<HTMLInputElement>('q').select();
});

addEventListener('popstate', () => {
  // The link to the filters changes only the fragment.
  if (location.search !== current) void show(location.href, 'stay');
});

/** A value is selected or excluded, not both. */
function clearOpposite({ name, value }: HTMLInputElement): void {
  const opposite = name.startsWith('not_') ? name.slice('not_'.length) : `not_${name}`;
  const selector = `input[form=search][name="${opposite}"][value="${CSS.escape(value)}"]`;
  const other = document.querySelector<HTMLInputElement>(selector);
  if (other !== null) other.checked = false;
}

/** The next choice, perhaps before the answer, must not restore a filter that a link removed. */
function clearFieldsWithout(query: URLSearchParams): void {
  for (const field of [...form.elements]) {
    // The order is no filter.
    if (!isField(field) || field.name === 'sort' || isInQuery(field, query)) continue;
    if (field.type === 'checkbox') (field as HTMLInputElement).checked = false;
    else field.value = '';
  }
}

/** The fields "min:NAME" and "max:NAME" are one range in a URL. */
const isInQuery = ({ name, value }: HTMLInputElement | HTMLSelectElement, query: URLSearchParams) =>
  /^m(in|ax):/.test(name)
    ? query.getAll('range').some((range) => range.startsWith(`${name.slice('min:'.length)}:`))
    : query.getAll(name).includes(value);

function isField(target: EventTarget | null): target is HTMLInputElement | HTMLSelectElement {
  const field = target instanceof HTMLInputElement || target instanceof HTMLSelectElement ? target : undefined;
  return field?.form === form;
}

function addressOfForm(): string {
  const filled = [...new FormData(form)].filter(([, value]) => value !== '');
  const query = new URLSearchParams(filled.map(([name, value]) => [name, String(value)])).toString();
  return query === '' ? './' : `./?${query}`;
}

/** `toTop`: scrolls to the first result. */
async function show(address: string, how: 'push' | 'replace' | 'stay', toTop = false): Promise<void> {
  pendingRequest?.abort();
  const controller = new AbortController();
  pendingRequest = controller;
  const results = byId('results');
  results.setAttribute('aria-busy', 'true');
  const latest = await fetchPage(address, controller.signal);
  if (controller.signal.aborted) return;
  results.removeAttribute('aria-busy');
  // Do not interrupt typing with an error.
  if (latest === undefined && how === 'replace') return;
  if (latest?.getElementById('hits') == null) {
    location.assign(address);
    return;
  }
  if (how === 'push') history.pushState(null, '', address);
  if (how === 'replace') history.replaceState(null, '', address);
  current = location.search;
  applyLatest(latest, how === 'replace');
  if (toTop) {
    results.focus();
    results.scrollIntoView({ block: 'start' });
  }
}

/** `typing`: leaves the focused field unchanged. */
function applyLatest(latest: Document, typing: boolean): void {
  const { activeElement } = document;
  const focused = activeElement?.id ?? '';
  showLocalTimes(latest);
  replaceFresh(latest);
  for (const box of document.querySelectorAll<HTMLInputElement>('.facet input')) box.checked = box.defaultChecked;
  // A chosen field is a filter now.
  for (const select of document.querySelectorAll<HTMLSelectElement>('#presence select')) select.value = '';
  for (const field of [...form.elements]) if (!typing || field !== activeElement) updateField(field, latest);
  for (const range of document.querySelectorAll<HTMLElement>('.range-field'))
    range.hidden = latest.getElementById(range.id)?.hidden ?? true;
  const link = document.querySelector('.filters-link');
  replaceContent(link, latest.querySelector('.filters-link'));
  document.title = latest.title;
  announce(byId('total').textContent?.trim() ?? '');
  if (activeElement instanceof HTMLElement && !activeElement.isConnected) {
    document.getElementById(focused)?.focus({ preventScroll: true });
    if (document.activeElement === document.body) byId('results').focus({ preventScroll: true });
  }
}

function updateField(field: Element, latest: Document): void {
  if (field.closest('[data-fresh]') !== null) return;
  const name = field.getAttribute('name');
  if (name === null) return;
  const same = latest.querySelector(`[form=search][name="${CSS.escape(name)}"], #search [name="${CSS.escape(name)}"]`);
  if (field instanceof HTMLSelectElement && same instanceof HTMLSelectElement) {
    replaceContent(field, same);
    field.value = same.value;
  } else if (field instanceof HTMLInputElement && same instanceof HTMLInputElement) {
    if (field.type === 'checkbox') field.checked = same.checked;
    else if (field.value !== same.value) field.value = same.value;
  }
}
