import { announce, byId, fill } from '../../../ui/browser/dom.ts';
import { Refused, sendForm } from './requests.ts';
import type { ReviewPage } from './review-texts.ts';

type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/**
 * Makes the form save each value as soon as it is done with, so that a person goes through it with Enter alone. Saves
 * go one after another, each for the version that the one before it made: nobody else's edit is overwritten unseen.
 */
export function openReview({ texts, id, version: first }: ReviewPage): void {
  const form = byId<HTMLFormElement>('fields');
  const saved = byId('saved');
  let version = first;
  let queue = Promise.resolve();

  const inputs = () => [
    ...form.querySelectorAll<Input>('input[name]:not([type=hidden]), select[name], textarea[name]'),
  ];
  const isChanged = (input: Input) => input.value.trim() !== (input.dataset['saved'] ?? '');

  function save(changed: readonly Input[], then: () => void = () => {}): void {
    queue = queue.then(async () => {
      const values = Object.fromEntries(changed.filter(isChanged).map((input) => [input.name, input.value.trim()]));
      if (Object.keys(values).length === 0) return;
      saved.textContent = texts.saving;
      try {
        ({ version } = await sendForm<{ version: number }>(`${id}/update`, values, { 'if-match': `"${version}"` }));
        for (const input of changed) if (input.name in values) settle(input, values[input.name]!);
        saved.textContent = texts.saved;
        then();
      } catch (error) {
        refuse(changed, error);
      }
    });
  }

  function settle(input: Input, value: string): void {
    input.dataset['saved'] = value;
    input.removeAttribute('aria-invalid');
    delete input.dataset['doubt'];
    const about = input.closest('.field, .table')!;
    about.querySelector('.problem')!.textContent = '';
    const mark = about.querySelector('.mark');
    if (mark === null) return;
    mark.className = 'mark manual';
    mark.textContent = texts.sources.manual;
  }

  function refuse(changed: readonly Input[], error: unknown): void {
    if (!(error instanceof Refused)) throw error;
    if (error.status === 412 || error.status === 409) {
      announce(texts.conflict);
      location.reload();
      return;
    }
    if (error.status === 401) {
      location.assign('../login');
      return;
    }
    const why = error.status === 0 ? texts.offline : error.message;
    saved.textContent = fill(texts.notSaved, { why });
    for (const input of changed) {
      const problem = error.fields.get(input.name) ?? (changed.length === 1 ? why : undefined);
      if (problem === undefined) continue;
      input.setAttribute('aria-invalid', 'true');
      input.closest('.field, .table')!.querySelector('.problem')!.textContent = problem;
    }
  }

  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('change', ({ target }) => {
    const input = target as Input;
    growTable(input);
    save([input]);
  });
  form.addEventListener('keydown', (event) => {
    const input = event.target as Input;
    if (event.key === 'Escape') {
      input.value = input.dataset['saved'] ?? '';
      input.removeAttribute('aria-invalid');
      announce(texts.restored);
    } else if (event.key === 'Enter' && !(input instanceof HTMLTextAreaElement && event.altKey)) {
      event.preventDefault();
      step(input, event.shiftKey ? -1 : 1);
    } else if (event.key === 'ArrowDown' && event.altKey) {
      event.preventDefault();
      step(input, 1, (other) => 'doubt' in other.dataset);
    }
  });
  for (const button of form.querySelectorAll<HTMLButtonElement>('.remove-row')) {
    button.addEventListener('click', () => {
      const cells = [...button.closest('tr')!.querySelectorAll<Input>('[name]')];
      for (const cell of cells) cell.value = '';
      // The rows below move up, and with them their names: only the server knows them anew.
      save(cells, () => location.reload());
    });
  }
  for (const button of document.querySelectorAll<HTMLButtonElement>('.revert')) {
    button.addEventListener('click', () => {
      const input = inputs().find(({ name }) => name === button.dataset['key']);
      if (input === undefined) return;
      input.value = button.dataset['value'] ?? '';
      save([input], () => location.reload());
    });
  }
  addEventListener('beforeunload', (event) => {
    if (inputs().some((input) => isChanged(input) && input.getAttribute('aria-invalid') === 'true'))
      event.preventDefault();
  });

  /** Leaving a field saves it, so to go on is to save. */
  function step(from: Input, by: 1 | -1, fits: (input: Input) => boolean = () => true): void {
    const all = inputs();
    for (let i = all.indexOf(from) + by; i >= 0 && i < all.length; i += by) {
      const next = all[i]!;
      if (!fits(next)) continue;
      next.focus();
      if (next instanceof HTMLInputElement && next.type === 'text') next.select();
      return;
    }
    from.blur();
  }

  /** Once something stands in the empty row, there is another one below it. */
  function growTable(input: Input): void {
    const row = input.closest<HTMLTableRowElement>('tr.new');
    if (row === null || input.value.trim() === '') return;
    const next = row.cloneNode(true) as HTMLTableRowElement;
    row.classList.remove('new');
    const number = Number(row.dataset['row']) + 1;
    next.dataset['row'] = String(number);
    for (const cell of next.querySelectorAll<Input>('[name]')) {
      cell.name = cell.name.replace(/:\d+\./, `:${number}.`);
      cell.id = cell.name;
      cell.value = '';
      cell.dataset['saved'] = '';
      cell.setAttribute('aria-label', (cell.getAttribute('aria-label') ?? '').replace(/\d+$/, String(number)));
    }
    row.after(next);
  }
}
