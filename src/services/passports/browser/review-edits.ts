import { announce, byId, fill } from '../../../ui/browser/dom.ts';
import { askAnew } from '../../../ui/browser/fresh.ts';
import { Refused, sendForm, sentenceOf } from '../../../ui/browser/requests.ts';
import { takeOver } from './review-fresh.ts';
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

  /** An input waits once, however often it is done with: what counts is what stands in it when its turn comes. */
  const queued = new Set<Input>();

  function save(changed: readonly Input[]): void {
    const fresh = changed.filter((input) => !queued.has(input));
    if (fresh.length === 0) return;
    for (const input of fresh) queued.add(input);
    waiting += 1;
    queue = queue
      .then(() => {
        for (const input of fresh) queued.delete(input);
        return send(fresh);
      })
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
      await refuse([...typed.keys()], error);
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

  async function show(): Promise<boolean> {
    const fresh = await askAnew();
    if (fresh === undefined) return false;
    const now = takeOver(fresh);
    if (now === undefined) startAnew();
    else version = now;
    return now !== undefined;
  }

  async function refuse(changed: readonly Input[], error: unknown): Promise<void> {
    if (!(error instanceof Refused)) throw error;
    if (error.status === 412) {
      await meet(changed);
    } else if (error.status === 409) {
      startAnew();
    } else if (error.status === 401) {
      location.assign('../login');
    } else {
      const why = sentenceOf(error, texts);
      saved.textContent = fill(texts.notSaved, { why });
      const named = changed.filter((input) => error.fields.has(input.name));
      for (const input of named) complain(input, sentenceOf(error, texts, input.name));
      if (named.length === 0) for (const input of changed) complain(input, why);
    }
  }

  /** Somebody else was here: what they have not touched goes again, what they have is shown and left to the person. */
  async function meet(changed: readonly Input[]): Promise<void> {
    const before = new Map(changed.map((input) => [input, input.dataset['saved']]));
    if (!(await show())) return;
    const contested = changed.filter((input) => isChanged(input) && input.dataset['saved'] !== before.get(input));
    for (const input of contested) {
      complain(input, fill(texts.conflict, { value: input.dataset['saved'] || texts.nothing }));
    }
    saved.textContent = '';
    await send(changed.filter((input) => !contested.includes(input)));
  }

  function complain(input: Input, why: string): void {
    input.setAttribute('aria-invalid', 'true');
    input.closest('.field, .table')!.querySelector('.problem')!.textContent = why;
  }

  /** Somebody else has changed more than a value that can be shown in place. Who is at a field is there again afterwards. */
  function startAnew(): void {
    announce(texts.anew);
    history.replaceState({ held: document.activeElement?.id }, '');
    location.reload();
  }

  const { held } = (history.state ?? {}) as { held?: string };
  if (held) document.getElementById(held)?.focus();
  history.replaceState(null, '');

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
      saved.textContent = '';
      announce(texts.restored);
    } else if (event.key === 'Enter' && !(input instanceof HTMLTextAreaElement && event.altKey)) {
      event.preventDefault();
      // A value that was refused has not changed since: no event would say that it is to be tried again.
      if (isChanged(input)) save([input]);
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
