import { byId } from './dom.ts';

/**
 * The startup banner prints a URL with the key in its fragment, which is not sent to servers. The key is only filled
 * in: anyone can send such a link, which must neither sign a person in silently nor replace a session. The `from_link`
 * field lets the service check this again.
 */
function readKeyFromFragment(): void {
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

// Pasting the link into a tab with this page does not reload it.
addEventListener('hashchange', readKeyFromFragment);
readKeyFromFragment();
