import { announce, byId, fill } from '../../../ui/browser/dom.ts';
import { isOver } from '../../../ui/browser/errand.ts';
import { noteOf, shareOf, stepsOf } from '../../../ui/browser/errand-steps.ts';
import { showSteps } from '../../../ui/browser/steps.ts';
import type { Hearing } from './hearing.ts';
import type { Words } from './words.ts';

/** Where a recording is on its way: four steps with their times, how much was heard, and a sentence where one is due. */
export function showProgress(it: Hearing, words: Words, workerIsWarm: boolean): void {
  byId('file-name').textContent = it.file.name;
  byId('cancel').hidden = isOver(it);
  byId('note').textContent = noteOf(it, words, workerIsWarm);
  showSteps(byId('steps'), stepsOf(it, words));
  const share = it.stage === 'processing' ? shareOf(it) : undefined;
  byId('heard').hidden = share === undefined;
  if (share !== undefined) byId<HTMLProgressElement>('heard-bar').value = share;
  announce(said(it, words));
}

function said(it: Hearing, words: Words): string {
  const { texts, ui } = words;
  const name = it.file.name;
  if (it.stage === 'waiting') return fill(texts.said.waiting, { name });
  // The text itself is there to be read; the whole of it aloud would be too much.
  if (it.stage === 'done') return fill(texts.said.done, { name, text: words.said(it).slice(0, 200) });
  if (it.failure) return fill(texts.said.failed, { name, sentence: words.failure(it.failure) });
  return ui.steps[it.stage];
}
