import { announce, byId, el, fill } from './dom.ts';
import { type Errand, isOver } from './errand.ts';
import { noteOf, stepsOf } from './errand-steps.ts';
import { type ErrandWords, failureIn } from './errand-words.ts';
import { showSteps } from './steps.ts';

/** Where a file is on its way: four steps with their times, and a sentence where something is to be said. */
export function showProgress<It extends Errand>(it: It, words: ErrandWords<It>, workerIsWarm: boolean): void {
  byId('file-name').textContent = it.file.name;
  byId('cancel').hidden = isOver(it);
  byId('note').textContent = noteOf(it, words, workerIsWarm);
  showSteps(byId('steps'), stepsOf(it, words));
  announce(aloud(it, words));
}

function aloud<It extends Errand>(it: It, words: ErrandWords<It>): string {
  const { said } = words.texts;
  const { name } = it.file;
  if (it.stage === 'waiting') return fill(said.waiting, { name });
  if (it.stage === 'done') return fill(said.done, { name, text: words.aloud(it) });
  if (it.failure) return fill(said.failed, { name, sentence: failureIn(it.failure, words) });
  return words.ui.steps[it.stage];
}

/** What stands in the place of a result that there is none of. */
export function lost(it: Errand, words: Pick<ErrandWords<never>, 'texts' | 'ui'>): HTMLElement[] {
  const { texts } = words;
  if (it.stage === 'cancelled' || !it.failure) return [el('h2', { id: 'verdict' }, texts.cancelled)];
  const { code } = it.failure;
  return [
    el(
      'div',
      { class: 'verdict', 'data-failed': true },
      el('h2', { id: 'verdict' }, texts.failed),
      el('p', {}, failureIn(it.failure, words)),
      ...(code ? [el('p', { class: 'hint' }, `${texts.code}: `, el('code', {}, code))] : []),
    ),
  ];
}
