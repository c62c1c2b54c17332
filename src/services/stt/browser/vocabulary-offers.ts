import type { ApiClient } from '../../../ui/browser/api.ts';
import { el, fill } from '../../../ui/browser/dom.ts';
import type { Formatters } from './formatters.ts';
import type { WrittenTerm } from './term-lines.ts';

/** Longer corrections are sentences, not terms. */
const MAX_WORDS = 3;
const MAX_OFFERS = 12;

export type VocabularyOffers = ReturnType<typeof createVocabularyOffers>;

/** Offers corrected words as vocabulary of the token. */
export function createVocabularyOffers(api: ApiClient, { texts: { edit }, errorText }: Formatters) {
  const element = el('div', { class: 'offers', role: 'group', 'aria-label': edit.vocabulary, hidden: true });
  const status = el('span', { class: 'hint', role: 'status', tabindex: '-1' });
  element.append(el('span', { class: 'hint' }, edit.vocabulary), status);
  const offered = new Set<string>();

  const store = createTermStore(api);

  async function addTerm(term: string, button: HTMLButtonElement): Promise<void> {
    const isFocused = () => document.activeElement === button || document.activeElement === document.body;
    button.disabled = true;
    try {
      await store(term);
      const next = button.nextElementSibling as HTMLElement;
      const hadFocus = isFocused();
      button.remove();
      status.textContent = fill(edit.termAdded, { term });
      if (hadFocus) next.focus();
    } catch (error) {
      button.disabled = false;
      if (isFocused()) button.focus();
      status.textContent = errorText(error);
    }
  }

  return {
    element,
    /** Offers the words that replaced others. */
    add(before: string, after: string): void {
      const term = correctedTerm(before, after);
      if (term === undefined || offered.has(term) || offered.size === MAX_OFFERS) return;
      offered.add(term);
      const button = el('button', { type: 'button', class: 'small' }, fill(edit.addTerm, { term }));
      button.addEventListener('click', () => void addTerm(term, button));
      status.before(button);
      element.hidden = false;
    },
  };
}

/** Adds one term after the other: each addition replaces the whole vocabulary. */
export function createTermStore(api: Pick<ApiClient, 'call'>): (term: string) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();

  async function add(term: string): Promise<void> {
    const { terms } = await api.call<{ terms: readonly WrittenTerm[] }>('vocabulary');
    const others = terms.filter((each) => each.term !== term);
    await api.call('vocabulary', { method: 'PUT', json: { terms: [...others, { term }] } });
  }

  return (term) => {
    const added = last.then(() => add(term));
    last = added.catch(() => undefined);
    return added;
  };
}

/** The words that replaced others, without punctuation around them. */
export function correctedTerm(before: string, after: string): string | undefined {
  const [old, now] = [before.split(' '), after.split(' ')];
  while (old.length > 0 && old[0] === now[0]) {
    old.shift();
    now.shift();
  }
  while (old.length > 0 && old.at(-1) === now.at(-1)) {
    old.pop();
    now.pop();
  }
  const [wrong, term] = [old, now].map((words) => words.map(withoutPunctuation).join(' ')) as [string, string];
  if (old.length === 0 || now.length > MAX_WORDS || term.length < 3) return undefined;
  return term.toLowerCase() === wrong.toLowerCase() ? undefined : term;
}

const withoutPunctuation = (word: string) => word.replace(/^[^\p{L}\p{N}]+/u, '').replace(/[^\p{L}\p{N}]$/u, '');
