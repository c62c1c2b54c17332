import { byId } from '../../../ui/browser/dom.ts';

/** The banner of a first start gives an address that carries the key: in the fragment, which no server is sent. */
function take(): void {
  const key = new URLSearchParams(location.hash.slice(1)).get('key');
  if (key === null) return;
  history.replaceState(null, '', location.pathname);
  byId<HTMLInputElement>('api_key').value = key;
  byId<HTMLFormElement>('login').submit();
}

// Pasted into a tab that shows this page already, it does not load it anew.
addEventListener('hashchange', take);
take();
