import { byId, fill } from '../../../ui/browser/dom.ts';
import { showLocalTimes } from '../../../ui/browser/local-times.ts';
import { pageData } from '../../../ui/browser/page-data.ts';
import { errorMessage, request } from '../../../ui/browser/requests.ts';
import type { TemplatesPage } from './templates-texts.ts';

const { data } = pageData<TemplatesPage>();
const { texts } = data;

function attempt(act: () => Promise<unknown>): void {
  const errorBox = byId('error');
  errorBox.hidden = true;
  act().then(
    () => location.reload(),
    (error: unknown) => {
      errorBox.textContent = errorMessage(error, texts);
      errorBox.hidden = false;
    },
  );
}

const change = (id: string, body: object) =>
  request(`api/templates/${id}`, {
    method: 'PATCH',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });

showLocalTimes(document);

for (const item of document.querySelectorAll<HTMLElement>('#templates > li')) {
  const id = item.dataset['id']!;
  const find = <T extends HTMLElement>(selector: string) => item.querySelector<T>(selector)!;
  const nameInput = find<HTMLInputElement>('input[name=name]');
  find<HTMLFormElement>('form').addEventListener('submit', (event) => {
    event.preventDefault();
    // A default name is shown in the language of the page, and stored in English.
    if (nameInput.value !== nameInput.defaultValue) attempt(() => change(id, { name: nameInput.value }));
  });
  find('.toggle').addEventListener('click', () =>
    attempt(() => change(id, { enabled: item.dataset['enabled'] !== 'true' })),
  );
  find('.remove').addEventListener('click', () => {
    if (!confirm(fill(texts.removeSure, { name: nameInput.defaultValue }))) return;
    attempt(() => request(`api/templates/${id}`, { method: 'DELETE' }));
  });
  for (const correction of item.querySelectorAll<HTMLElement>('.corrections li')) {
    correction.querySelector('.undo')!.addEventListener('click', () => {
      const name = correction.querySelector('.name')!.textContent ?? '';
      if (!confirm(fill(texts.undoSure, { name }))) return;
      attempt(() => request(`api/templates/${id}/corrections/${correction.dataset['id']!}`, { method: 'DELETE' }));
    });
  }
}
