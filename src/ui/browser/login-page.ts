import { byId } from './dom.ts';

/**
 * The banner of a first start prints an address with the key in its fragment, which no server receives. The key is filled in
 * and the person submits it: an address may come from anybody, and would sign the person in as somebody else. For the same
 * reason a session that is there stays; the marker has the service check that again.
 */
function take(): void {
  const form = byId<HTMLFormElement>('login');
  const key = new URLSearchParams(location.hash.slice(1)).get(form.dataset['fragment']!);
  if (key === null) return;
  history.replaceState(null, '', location.pathname + location.search);
  if (form.dataset['signedIn'] !== undefined) return;
  const input = form.querySelector<HTMLInputElement>('input[type=password]')!;
  const marker = form.querySelector<HTMLInputElement>('input[name=from_link]')!;
  input.value = key;
  marker.disabled = false;
  byId('from-link').hidden = false;
  input.addEventListener('input', () => {
    marker.disabled = true;
    byId('from-link').hidden = true;
  });
  form.querySelector<HTMLButtonElement>('button')!.focus();
}

// Pasted into a tab that shows this page already, it does not load it anew.
addEventListener('hashchange', take);
take();
