import { announce, byId, fill } from '../../../ui/browser/dom.ts';
import { type Step, showSteps } from '../../../ui/browser/steps.ts';
import { type Inspection, isOver, type Stage } from './inspection.ts';
import type { Words } from './words.ts';

const WAY = ['uploading', 'queued', 'processing', 'done'] as const;

/** Where a photo is on its way: four steps with their times, and a sentence where something is to be said. */
export function showProgress(it: Inspection, words: Words, workerIsWarm: boolean): void {
  byId('file-name').textContent = it.file.name;
  byId('cancel').hidden = isOver(it);
  byId('note').textContent = words.note(it, workerIsWarm);
  showSteps(byId('steps'), stepsOf(it, words));
  announce(said(it, words));
}

function stepsOf(it: Inspection, { ui, numbers }: Words): Step[] {
  const times = timesOf(it);
  const reached = WAY.findLastIndex((stage) => it.began[stage] !== undefined);
  const lost = it.stage === 'failed' || it.stage === 'cancelled';
  return WAY.map((stage, index) => {
    const time = times[stage];
    const note = time === undefined ? '' : numbers.duration(time);
    if (lost && stage === 'done') return { label: ui.steps[it.stage as 'failed'], state: 'bad', note };
    if (lost && index === reached) return { label: ui.steps[stage], state: 'bad', note };
    if (it.stage === 'done' || index < reached) {
      return { label: ui.steps[stage], state: 'past', note };
    }
    if (index > reached) return { label: ui.steps[stage], state: 'ahead', note };
    const sending = stage === 'uploading' && it.sent > 0 && it.sent < 1;
    return { label: ui.steps[stage], state: 'now', note: sending ? numbers.wholeShare(it.sent) : note };
  });
}

/**
 * How long each step took or has taken so far. A photo may be done before anybody looked twice; how long the work took,
 * the answer says itself, and the rest was waiting.
 */
function timesOf({ began, state, stage }: Inspection): Partial<Record<Stage, number>> {
  const { uploading, queued, processing } = began;
  if (uploading === undefined) return {};
  const end = began.done ?? began.failed ?? began.cancelled ?? performance.now();
  const times: Partial<Record<Stage, number>> = { uploading: (queued ?? end) - uploading };
  if (queued === undefined) return times;
  const inHand = end - queued;
  const work = state?.processing_time_ms ?? (processing === undefined ? undefined : end - processing);
  if (work !== undefined) times.processing = Math.min(work, inHand);
  times.queued = inHand - (times.processing ?? 0);
  if (stage === 'done') times.done = end - uploading;
  return times;
}

function said(it: Inspection, words: Words): string {
  const { texts, ui } = words;
  const name = it.file.name;
  if (it.stage === 'waiting') return fill(texts.said.waiting, { name });
  if (it.stage === 'done') return fill(texts.said.done, { name, verdict: words.verdict(it.state!.result!) });
  if (it.failure) return fill(texts.said.failed, { name, sentence: words.failure(it.failure) });
  return ui.steps[it.stage];
}
