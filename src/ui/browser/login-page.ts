import { byId } from './dom.ts';

/** The banner of a first start gives an address that carries the key: in the fragment, which no server is sent. */
function take(): void {
  const form = byId<HTMLFormElement>('login');
  const input = form.querySelector<HTMLInputElement>('input[type=password]')!;
  const key = new URLSearchParams(location.hash.slice(1)).get(form.dataset['fragment']!);
  if (key === null) return;
  history.replaceState(null, '', location.pathname + location.search);
  input.value = key;
  form.submit();
}

// Pasted into a tab that shows this page already, it does not load it anew.
addEventListener('hashchange', take);
take();
