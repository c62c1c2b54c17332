import { byId } from './dom.ts';

// Per tab and origin. Not a cookie: other sites cannot misuse what browsers do not send automatically.
const KEY = 'assay-token';

export type TokenStore = ReturnType<typeof createTokenStore>;

/**
 * The token of this tab, from `#token=…` (then removed from the address bar, history and bookmarks) or from the token
 * form.
 */
export function createTokenStore(words: { readonly why: string; readonly wrong: string }) {
  const form = byId<HTMLFormElement>('token-form');
  const input = byId<HTMLInputElement>('token-input');
  const button = byId('token-button');
  let prompt: { promise: Promise<string>; give: (token: string) => void } | undefined;

  function readTokenFromFragment(): void {
    const token = new URLSearchParams(location.hash.slice(1)).get('token');
    if (!token) return;
    history.replaceState(null, '', location.pathname + location.search);
    const stored = sessionStorage.getItem(KEY);
    if (stored === null || stored === token) {
      storeToken(token);
      return;
    }
    // A link must not replace the token of this tab: the person has to submit the form.
    showForm(words.why);
    input.value = token;
  }

  function storeToken(token: string): void {
    sessionStorage.setItem(KEY, token);
    form.hidden = true;
    prompt?.give(token);
    prompt = undefined;
  }

  function showForm(sentence: string): void {
    byId('token-why').textContent = sentence;
    form.hidden = false;
    input.value = '';
    input.focus();
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const token = input.value.trim();
    if (token) storeToken(token);
  });
  button.hidden = false;
  button.addEventListener('click', () => {
    if (form.hidden) showForm(words.why);
    else form.hidden = true;
  });
  // Pasting the link into a tab with this page does not reload it.
  addEventListener('hashchange', readTokenFromFragment);
  readTokenFromFragment();

  const current = () => sessionStorage.getItem(KEY) ?? undefined;
  return {
    current,
    /** Prompts for a token; `wrong` is the token that was just rejected. */
    prompt(wrong?: string): Promise<string> {
      const known = current();
      // Concurrent requests share one prompt.
      if (known !== undefined && known !== wrong) return Promise.resolve(known);
      if (!prompt) {
        let give: (token: string) => void = () => {};
        const promise = new Promise<string>((resolve) => {
          give = resolve;
        });
        prompt = { promise, give };
        sessionStorage.removeItem(KEY);
        showForm(wrong === undefined ? words.why : words.wrong);
      }
      return prompt.promise;
    },
  };
}
