import { byId } from './dom.ts';

// One per tab and origin, gone with the tab. No cookie: what no browser adds by itself, no other site can abuse.
const KEY = 'assay-token';

export interface Tokens {
  /** The token to try, if there is one. */
  current(): string | undefined;
  /** Resolves once the person has given one; `wrong` is the token that was just refused. */
  ask(wrong?: string): Promise<string>;
}

/**
 * The token of this tab: taken once from `#token=…`, which then leaves the address bar (and so the history, bookmarks
 * and screenshots), or asked for with the page's small form. A link never replaces a token that the tab has.
 */
export function openTokens(words: { readonly why: string; readonly wrong: string }): Tokens {
  const form = byId<HTMLFormElement>('token-form');
  const input = byId<HTMLInputElement>('token-input');
  const button = byId('token-button');
  let asked: { promise: Promise<string>; give: (token: string) => void } | undefined;

  function take(): void {
    const token = new URLSearchParams(location.hash.slice(1)).get('token');
    if (!token) return;
    history.replaceState(null, '', location.pathname + location.search);
    const held = sessionStorage.getItem(KEY);
    if (held === null || held === token) {
      keep(token);
      return;
    }
    // A link from elsewhere must not exchange the token of a person who is at work: the form waits for them.
    show(words.why);
    input.value = token;
  }

  function keep(token: string): void {
    sessionStorage.setItem(KEY, token);
    form.hidden = true;
    asked?.give(token);
    asked = undefined;
  }

  function show(sentence: string): void {
    byId('token-why').textContent = sentence;
    form.hidden = false;
    input.value = '';
    input.focus();
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const token = input.value.trim();
    if (token) keep(token);
  });
  button.hidden = false;
  button.addEventListener('click', () => {
    if (form.hidden) show(words.why);
    else form.hidden = true;
  });
  // The banner's link pasted into a tab that shows this page already does not load it anew.
  addEventListener('hashchange', take);
  take();

  const current = () => sessionStorage.getItem(KEY) ?? undefined;
  return {
    current,
    ask(wrong) {
      const known = current();
      // Several requests may be refused at once; the first answer serves them all.
      if (known !== undefined && known !== wrong) return Promise.resolve(known);
      if (!asked) {
        let give: (token: string) => void = () => {};
        const promise = new Promise<string>((resolve) => {
          give = resolve;
        });
        asked = { promise, give };
        sessionStorage.removeItem(KEY);
        show(wrong === undefined ? words.why : words.wrong);
      }
      return asked.promise;
    },
  };
}
