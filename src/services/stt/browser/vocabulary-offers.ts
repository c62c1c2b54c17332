import type { ApiClient } from '../../../ui/browser/api.ts';
import { el, fill } from '../../../ui/browser/dom.ts';
import { parseJson, RequestError } from '../../../ui/browser/requests.ts';
import type { Formatters } from './formatters.ts';
import type { WrittenTerm } from './term-lines.ts';

const MAX_OFFERS = 12;
/** In this browser, for all transcripts. */
const DISMISSED_KEY = 'assay-dismissed-terms';
const MAX_DISMISSED = 200;
/** Of an addition, while other pages change the vocabulary. */
const MAX_TRIES = 10;

export type VocabularyOffers = ReturnType<typeof createVocabularyOffers>;

/** Offers corrected words as vocabulary of the token, unless it has them or the user dismissed them. */
export function createVocabularyOffers(api: ApiClient, { texts: { edit }, errorText }: Formatters) {
  const element = el('div', { class: 'term-offers', role: 'group', 'aria-label': edit.vocabulary, hidden: true });
  const status = el('span', { class: 'hint', role: 'status', tabindex: '-1' });
  element.append(el('span', { class: 'hint' }, edit.vocabulary), status);
  const shown = new Map<string, HTMLElement>();
  const settled = new Set<string>(dismissedTerms());
  let offered: readonly string[] = [];
  let known: Promise<void> | undefined;

  const store = createTermStore(api);

  /** Offers without the terms of the vocabulary are better than none. */
  const readKnown = async () => {
    const vocabulary = await api.call<{ terms: readonly WrittenTerm[] }>('vocabulary').catch(() => undefined);
    for (const { term } of vocabulary?.terms ?? []) settled.add(term);
  };

  function update(): void {
    const terms = offered.filter((term) => !settled.has(term)).slice(0, MAX_OFFERS);
    for (const [term, offer] of shown) if (!terms.includes(term)) remove(term, offer);
    for (const term of terms) {
      if (shown.has(term)) continue;
      const offer = offerOf(term);
      shown.set(term, offer);
      status.before(offer);
    }
    if (terms.length > 0) element.hidden = false;
    else if (status.textContent === '') element.hidden = true;
  }

  function remove(term: string, offer: HTMLElement): void {
    const next = offer.nextElementSibling?.querySelector('button') ?? status;
    const hadFocus = offer.contains(document.activeElement);
    shown.delete(term);
    offer.remove();
    if (hadFocus) next.focus();
  }

  function offerOf(term: string): HTMLElement {
    const add = el('button', { type: 'button', class: 'small' }, fill(edit.addTerm, { term }));
    const label = fill(edit.dismissTerm, { term });
    const dismiss = el('button', { type: 'button', class: 'small', 'aria-label': label, title: label }, '×');
    add.addEventListener('click', () => void addTerm(term, add));
    dismiss.addEventListener('click', () => {
      localStorage.setItem(DISMISSED_KEY, JSON.stringify([...dismissedTerms(), term].slice(-MAX_DISMISSED)));
      settle(term, fill(edit.termDismissed, { term }));
    });
    return el('span', { class: 'term-offer' }, add, dismiss);
  }

  function settle(term: string, message: string): void {
    status.textContent = message;
    settled.add(term);
    update();
  }

  async function addTerm(term: string, button: HTMLButtonElement): Promise<void> {
    // A disabled button has no focus.
    button.setAttribute('aria-disabled', 'true');
    try {
      await store(term);
      settle(term, fill(edit.termAdded, { term }));
    } catch (error) {
      button.removeAttribute('aria-disabled');
      status.textContent = errorText(error);
    }
  }

  return {
    element,
    /** Offers these terms, in place of earlier ones. */
    show(terms: readonly string[]): void {
      offered = [...new Set(terms)];
      if (offered.every((term) => settled.has(term))) update();
      else {
        known ??= readKnown();
        void known.then(update);
      }
    },
  };
}

function dismissedTerms(): string[] {
  const stored = parseJson(localStorage.getItem(DISMISSED_KEY) ?? '');
  return Array.isArray(stored) ? stored.map(String) : [];
}

/** Adds one term after the other, as each addition replaces the whole vocabulary, and again after a change by another page. */
export function createTermStore(api: Pick<ApiClient, 'call'>): (term: string) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();

  async function add(term: string, tries = MAX_TRIES): Promise<void> {
    const { terms, version } = await api.call<{ terms: readonly WrittenTerm[]; version: string }>('vocabulary');
    const json = { terms: [...terms.filter((each) => each.term !== term), { term }] };
    try {
      await api.call('vocabulary', { method: 'PUT', json, headers: { 'if-match': `"${version}"` } });
    } catch (error) {
      if (tries === 1 || !(error instanceof RequestError && error.status === 412)) throw error;
      await add(term, tries - 1);
    }
  }

  return (term) => {
    const added = last.then(() => add(term));
    last = added.catch(() => undefined);
    return added;
  };
}
