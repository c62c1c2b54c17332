import { announce, byId, fill } from '../../../ui/browser/dom.ts';
import { fetchPage } from '../../../ui/browser/refresh.ts';
import { errorMessage, RequestError, request, sendForm } from '../../../ui/browser/requests.ts';
import { applyRefresh } from './apply-refresh.ts';
import { focusInput, focusReview, moveFocus } from './review-focus.ts';
import {
  addEmptyRow,
  asInput,
  clearMark,
  dropEmptyRows,
  findInputs,
  type Input,
  isChanged,
  isIncomplete,
  markSaved,
  savedRows,
  shownValue,
} from './review-inputs.ts';
import { initRowButtons } from './review-rows.ts';
import type { ReviewPage } from './review-texts.ts';
import { showError } from './show-error.ts';
import { signInPrompt } from './sign-in-prompt.ts';
import { hasUnsavedInputs, keepInputs, restoreInputs } from './unsaved-inputs.ts';

/**
 * Saves each value when its field loses focus. Saves run one after another with the version of the previous one, so no
 * other user's edit is overwritten unseen.
 */
export function initReviewForm({ texts, id, version: initialVersion }: ReviewPage): void {
  const form = byId<HTMLFormElement>('fields');
  const saved = byId('save-status');
  let version = initialVersion;
  let waiting = 0;
  let isReloading = false;
  /** Whether the history, warnings and confirmation on the page are older than the last save. */
  let isStale = false;
  let queue = Promise.resolve();

  /** Names of the inputs that the user moved to, left for another one or changed. */
  const visited = new Set<string>();
  /** Inputs that wait to be saved; their value is read when the save starts. */
  const queued = new Set<Input>();

  function commit(input: Input): void {
    if (isIncomplete(input)) {
      showProblem(input, texts.problems['date_parsing']!);
      return;
    }
    addEmptyRow(input, texts);
    save([input]);
  }

  function save(changed: readonly Input[]): Promise<void> {
    const newInputs = changed.filter((input) => !queued.has(input));
    if (newInputs.length === 0) return queue;
    for (const input of newInputs) queued.add(input);
    waiting += 1;
    queue = queue
      .then(async () => {
        for (const input of newInputs) queued.delete(input);
        // The reloaded page saves them.
        if (isReloading) return;
        await send(newInputs);
        // Once after saves in quick succession, whether the last one succeeds or has nothing to send.
        if (isStale && waiting === 1) await show();
      })
      .finally(() => {
        waiting -= 1;
      });
    return queue;
  }

  /** Reads input names only now: removing a row above renumbers them. */
  async function send(changed: readonly Input[]): Promise<void> {
    const ready = changed.filter((input) => isChanged(input) && !isIncomplete(input));
    const pendingValues = new Map(ready.map((input) => [input, input.value.trim()]));
    // New rows must follow the saved ones without a gap.
    dropEmptyRows(form, texts);
    if (pendingValues.size === 0) return;
    saved.textContent = texts.saving;
    try {
      const values = Object.fromEntries([...pendingValues].map(([input, text]) => [input.name, text]));
      ({ version } = await sendForm<{ version: number }>(`${id}/update`, values, { 'if-match': `"${version}"` }));
    } catch (error) {
      await handleError([...pendingValues.keys()], error);
      return;
    }
    const before = savedRows(form);
    for (const [input, text] of pendingValues) {
      markSaved(input, text);
      clearProblem(input);
    }
    dropEmptyRows(form, texts);
    // The service has removed a row in which the user is typing, and renumbered the others.
    if (before.some((row) => row.isConnected && !savedRows(form).includes(row))) reload();
    isStale = true;
    saved.textContent = texts.saved;
  }

  async function show(): Promise<boolean> {
    const freshPage = await fetchPage();
    if (freshPage === undefined) return false;
    const newVersion = applyRefresh(freshPage);
    if (newVersion === undefined) reload();
    else version = newVersion;
    isStale = false;
    return newVersion !== undefined;
  }

  async function handleError(changed: readonly Input[], error: unknown): Promise<void> {
    if (!(error instanceof RequestError)) throw error;
    if (error.status === 412) {
      await resolveConflict(changed);
    } else if (error.status === 409) {
      reload();
    } else if (error.status === 401) {
      saved.textContent = fill(texts.notSaved, { why: texts.sessionEnded });
      for (const input of changed) showProblem(input, ...signInPrompt(texts, texts.thenSave));
    } else {
      const why = errorMessage(error, texts);
      saved.textContent = fill(texts.notSaved, { why });
      const named = changed.filter((input) => error.fields.has(input.name));
      for (const input of named) showProblem(input, errorMessage(error, texts, input.name));
      if (named.length === 0) for (const input of changed) showProblem(input, why);
    }
  }

  /** Saves values that the other user did not change, and shows the others to the user. */
  async function resolveConflict(changed: readonly Input[]): Promise<void> {
    const before = new Map(changed.map((input) => [input, input.dataset['saved']]));
    const isShown = await show();
    if (isReloading) return;
    if (!isShown) {
      saved.textContent = fill(texts.notSaved, { why: texts.offline });
      for (const input of changed) showProblem(input, texts.offline);
      return;
    }
    const conflicting = changed.filter((input) => isChanged(input) && input.dataset['saved'] !== before.get(input));
    for (const input of conflicting) showConflict(input);
    saved.textContent = '';
    await send(changed.filter((input) => !conflicting.includes(input)));
  }

  function showConflict(input: Input): void {
    input.dataset['conflict'] = '';
    showProblem(input, fill(texts.conflict, { value: shownValue(input, input.dataset['saved']) || texts.nothing }));
  }

  function showLost(lost: readonly string[]): void {
    const values = lost.map((value) => fill(texts.quoted, { value: value || texts.nothing }));
    showError(fill(texts.rowsGone, { values: [...new Set(values)].join(', ') }));
  }

  function showProblem(input: Input, ...why: (string | Node)[]): void {
    input.setAttribute('aria-invalid', 'true');
    input
      .closest('.field, .table')!
      .querySelector('.problem')!
      .replaceChildren(...why);
  }

  /** Of the field; a table shows the problem of another cell on. */
  function clearProblem(input: Input): void {
    clearMark(input);
    const container = input.closest('.field, .table')!;
    if (container.querySelector('[aria-invalid]') === null) container.querySelector('.problem')!.textContent = '';
  }

  /** For added or removed rows. Restores the unsaved values and the focus. */
  function reload(): void {
    if (isReloading) return;
    isReloading = true;
    announce(texts.reloading);
    // Includes what the user types until then.
    addEventListener('pagehide', () => keepInputs(form, id), { once: true });
    location.reload();
  }

  /** The fields to review that were not visited. */
  const unvisited = () => findInputs(form).filter((input) => 'review' in input.dataset && !visited.has(input.name));

  /** Ctrl+Enter: focuses the next field to review that was not visited; after the last one, confirms the document. */
  function confirmOrContinue(): void {
    const active = asInput(document.activeElement);
    if (active !== undefined && form.contains(active)) {
      visited.add(active.name);
      if (isChanged(active)) commit(active);
    }
    const [next] = unvisited();
    if (next === undefined) {
      confirm();
      return;
    }
    showRemaining();
    focusInput(next);
  }

  /** After the pending saves, which show their own state. */
  function showRemaining(): void {
    const why = fill(texts.reviewFirst, { count: unvisited().length });
    queue = queue.then(() => {
      saved.textContent = fill(texts.notConfirmed, { why });
    });
  }

  /** After the pending saves, so that the confirmed version contains them. */
  function confirm(): void {
    if (document.getElementById('confirm') === null) return;
    queue = queue.then(async () => {
      if (isReloading) return;
      saved.textContent = texts.confirming;
      try {
        if (form.querySelector('[aria-invalid]') !== null) throw new Error(texts.invalidFirst);
        const headers = { 'if-match': `"${version}"` };
        await request(`../api/task/${id}/confirm`, { method: 'POST', headers });
      } catch (error) {
        const status = error instanceof RequestError ? error.status : undefined;
        if (status === 412) await show();
        if (status === 401) saved.replaceChildren(...signInPrompt(texts, texts.thenConfirm));
        else saved.textContent = fill(texts.notConfirmed, { why: errorMessage(error, texts) });
        return;
      }
      await show();
      saved.textContent = texts.confirmedNow;
    });
  }

  form.addEventListener('submit', (event) => event.preventDefault());
  // A changed value replaces the rejected one.
  form.addEventListener('input', ({ target }) => {
    const input = asInput(target);
    if (input === undefined) return;
    clearMark(input);
    visited.add(input.name);
  });
  // Not on `change`, which date inputs fire for each digit of the year.
  form.addEventListener('focusout', ({ target }) => {
    const input = asInput(target);
    if (input === undefined) return;
    if (!isChanged(input)) clearProblem(input);
    else if (!input.hasAttribute('aria-invalid')) commit(input);
  });
  form.addEventListener('keydown', (event) => {
    const input = asInput(event.target);
    if (input === undefined) return;
    if (event.key === 'Escape') {
      input.value = input.dataset['saved'] ?? '';
      clearProblem(input);
      saved.textContent = '';
      announce(texts.restored);
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      // Handled by the page.
    } else if (event.key === 'Enter' && !(input instanceof HTMLTextAreaElement && event.altKey)) {
      event.preventDefault();
      // Also retries a rejected value.
      if (isChanged(input)) {
        delete input.dataset['conflict'];
        commit(input);
      }
      moveFocus(input, event.shiftKey ? -1 : 1);
    }
  });
  // Also while no field has the focus.
  document.addEventListener('keydown', (event) => {
    const isArrow = event.key === 'ArrowDown' || event.key === 'ArrowUp';
    if (isArrow && event.altKey) {
      event.preventDefault();
      focusReview(form, event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      confirmOrContinue();
    }
  });
  form.addEventListener('focusin', ({ target, relatedTarget }) => {
    const input = target as Input;
    for (const one of [input, relatedTarget as Input | null]) if (one?.name) visited.add(one.name);
    const why = input.closest('.table')?.querySelector('.review-reasons');
    if (why) why.textContent = input.dataset['review'] ?? '';
  });
  byId('confirmation').addEventListener('click', ({ target }) => {
    if ((target as Element).id !== 'confirm') return;
    const count = unvisited().length;
    if (count === 0 || window.confirm(fill(texts.confirmSure, { count }))) confirm();
    else showRemaining();
  });
  initRowButtons(form, texts, save);
  byId('history').addEventListener('click', ({ target }) => {
    const { values = '{}' } = (target as Element).closest<HTMLElement>('.revert')?.dataset ?? {};
    const reverted = new Map(Object.entries(JSON.parse(values) as Record<string, string>));
    const inputs = findInputs(form).filter(({ name }) => reverted.has(name));
    for (const input of inputs) input.value = reverted.get(input.name)!;
    inputs[0]?.focus();
    save(inputs);
  });
  addEventListener('beforeunload', (event) => {
    if (!isReloading && hasUnsavedInputs(form)) event.preventDefault();
  });

  // After the listeners, which highlight the box of the field.
  const restored = restoreInputs(form, id, texts);
  for (const input of restored.conflicting) showConflict(input);
  for (const input of restored.unsaved) save([input]);
  if (restored.lost.length > 0) showLost(restored.lost);
  if (restored.focused !== null) restored.focused.focus();
  else if (!focusReview(form, 1)) document.getElementById('confirm')?.focus({ preventScroll: true });
  // The user has not moved to it.
  visited.clear();
}
