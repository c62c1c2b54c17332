import { announce, byId, fill } from '../../../ui/browser/dom.ts';
import { Refused, sendForm, sentenceOf } from './requests.ts';
import { askAnew, takeOver } from './review-fresh.ts';
import { dropEmptyRows, growTable, type Input, inputsOf, isChanged, savedIn } from './review-inputs.ts';
import type { ReviewPage } from './review-texts.ts';

/**
 * Makes the form save each value as soon as it is done with, so that a person goes through it with Enter alone. Saves
 * go one after another, each for the version that the one before it made: nobody else's edit is overwritten unseen.
 * Afterwards the page shows what the service has made of them.
 */
export function openReview({ texts, id, version: first }: ReviewPage): void {
  const form = byId<HTMLFormElement>('fields');
  const saved = byId('saved');
  let version = first;
  let waiting = 0;
  let queue = Promise.resolve();

  function save(changed: readonly Input[]): void {
    waiting += 1;
    queue = queue
      .then(() => send(changed))
      .finally(() => {
        waiting -= 1;
      });
  }

  /** Names are looked up when it is the turn of these values: a row above them may have gone meanwhile. */
  async function send(changed: readonly Input[]): Promise<void> {
    const typed = new Map(changed.filter(isChanged).map((input) => [input, input.value.trim()]));
    if (typed.size === 0) return;
    saved.textContent = texts.saving;
    try {
      const values = Object.fromEntries([...typed].map(([input, text]) => [input.name, text]));
      ({ version } = await sendForm<{ version: number }>(`${id}/update`, values, { 'if-match': `"${version}"` }));
    } catch (error) {
      refuse(changed, error);
      return;
    }
    for (const [input, text] of typed) {
      savedIn(input, text);
      const about = input.closest('.field, .table')!;
      if (about.querySelector('[aria-invalid]') === null) about.querySelector('.problem')!.textContent = '';
    }
    dropEmptyRows(form, texts);
    // What comes next would change it again.
    if (waiting === 1) await show();
    saved.textContent = texts.saved;
  }

  async function show(): Promise<void> {
    const fresh = await askAnew();
    if (fresh === undefined) return;
    const now = takeOver(fresh);
    if (now === undefined) startAnew();
    else version = now;
  }

  function refuse(changed: readonly Input[], error: unknown): void {
    if (!(error instanceof Refused)) throw error;
    if (error.status === 412 || error.status === 409) {
      startAnew();
      return;
    }
    if (error.status === 401) {
      location.assign('../login');
      return;
    }
    const why = sentenceOf(error, texts);
    saved.textContent = fill(texts.notSaved, { why });
    for (const input of changed) {
      const problem = error.fields.has(input.name) ? sentenceOf(error, texts, input.name) : why;
      if (!error.fields.has(input.name) && changed.length > 1) continue;
      input.setAttribute('aria-invalid', 'true');
      input.closest('.field, .table')!.querySelector('.problem')!.textContent = problem;
    }
  }

  /** Somebody else has changed more than a value that can be shown in place. */
  function startAnew(): void {
    announce(texts.conflict);
    location.reload();
  }

  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('change', ({ target }) => {
    const input = target as Input;
    growTable(input, texts);
    save([input]);
  });
  form.addEventListener('keydown', (event) => {
    const input = event.target as Input;
    if (!('name' in input) || input instanceof HTMLButtonElement) return;
    if (event.key === 'Escape') {
      input.value = input.dataset['saved'] ?? '';
      input.removeAttribute('aria-invalid');
      input.closest('.field, .table')!.querySelector('.problem')!.textContent = '';
      announce(texts.restored);
    } else if (event.key === 'Enter' && !(input instanceof HTMLTextAreaElement && event.altKey)) {
      event.preventDefault();
      step(input, event.shiftKey ? -1 : 1);
    } else if (event.key === 'ArrowDown' && event.altKey) {
      event.preventDefault();
      step(input, 1, (other) => 'doubt' in other.dataset);
    }
  });
  form.addEventListener('click', ({ target }) => {
    const button = (target as Element).closest<HTMLButtonElement>('.remove-row');
    if (button === null) return;
    const row = button.closest('tr')!;
    const cells = inputsOf(row);
    for (const cell of cells) cell.value = '';
    // The row is about to go, and the focus would go with it to the top of the page.
    inputsOf(row.nextElementSibling ?? row)[0]?.focus();
    save(cells);
  });
  byId('history').addEventListener('click', ({ target }) => {
    const { key, value = '' } = (target as Element).closest<HTMLElement>('.revert')?.dataset ?? {};
    const input = inputsOf(form).find(({ name }) => name === key);
    if (input === undefined) return;
    input.value = value;
    input.focus();
    save([input]);
  });
  addEventListener('beforeunload', (event) => {
    const lost = (input: Input) => isChanged(input) && input.getAttribute('aria-invalid') === 'true';
    if (inputsOf(form).some(lost)) event.preventDefault();
  });
}

/** Leaving a field saves it, so to go on is to save. */
function step(from: Input, by: 1 | -1, fits: (input: Input) => boolean = () => true): void {
  const all = inputsOf(from.closest('form')!);
  for (let i = all.indexOf(from) + by; i >= 0 && i < all.length; i += by) {
    const next = all[i]!;
    if (!fits(next)) continue;
    next.focus();
    if (next instanceof HTMLInputElement && next.type === 'text') next.select();
    return;
  }
  from.blur();
}
