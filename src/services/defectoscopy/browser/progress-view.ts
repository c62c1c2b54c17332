import { announce, byId, fill } from '../../../ui/browser/dom.ts';
import { isOver } from '../../../ui/browser/errand.ts';
import { noteOf, stepsOf } from '../../../ui/browser/errand-steps.ts';
import { showSteps } from '../../../ui/browser/steps.ts';
import type { Inspection } from './inspection.ts';
import type { Words } from './words.ts';

/** Where a photo is on its way: four steps with their times, and a sentence where something is to be said. */
export function showProgress(it: Inspection, words: Words, workerIsWarm: boolean): void {
  byId('file-name').textContent = it.file.name;
  byId('cancel').hidden = isOver(it);
  byId('note').textContent = noteOf(it, words, workerIsWarm);
  showSteps(byId('steps'), stepsOf(it, words));
  announce(said(it, words));
}

function said(it: Inspection, words: Words): string {
  const { texts, ui } = words;
  const name = it.file.name;
  if (it.stage === 'waiting') return fill(texts.said.waiting, { name });
  if (it.stage === 'done') return fill(texts.said.done, { name, verdict: words.verdict(it.state!.result!) });
  if (it.failure) return fill(texts.said.failed, { name, sentence: words.failure(it.failure) });
  return ui.steps[it.stage];
}
