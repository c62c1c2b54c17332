import type { UiTexts } from '../texts.ts';
import { fill } from './dom.ts';
import type { Errand, Stage } from './errand.ts';
import type { Numbers } from './page-data.ts';
import type { Step } from './steps.ts';

const WAY = ['uploading', 'queued', 'processing', 'done'] as const;

/** Where a file is on its way: four steps with their times, or how far the one is that is being taken. */
export function stepsOf(it: Errand, { ui, numbers }: { ui: UiTexts; numbers: Numbers }): Step[] {
  const times = timesOf(it);
  const reached = WAY.findLastIndex((stage) => it.began[stage] !== undefined);
  const lost = it.stage === 'failed' || it.stage === 'cancelled';
  return WAY.map((stage, index) => {
    const time = times[stage];
    const note = time === undefined ? '' : numbers.duration(time);
    if (lost && stage === 'done') return { label: ui.steps[it.stage as 'failed'], state: 'bad', note };
    if (lost && index === reached) return { label: ui.steps[stage], state: 'bad', note };
    if (it.stage === 'done' || index < reached) return { label: ui.steps[stage], state: 'past', note };
    if (index > reached) return { label: ui.steps[stage], state: 'ahead', note };
    const share = shareOf(it);
    return { label: ui.steps[stage], state: 'now', note: share === undefined ? note : numbers.wholeShare(share) };
  });
}

/** How far the step is that is being taken, where that can be told. */
export function shareOf({ stage, sent, state }: Errand): number | undefined {
  if (stage === 'uploading') return sent > 0 && sent < 1 ? sent : undefined;
  return stage === 'processing' ? state?.progress : undefined;
}

/** Why nothing moves, if so; else what to expect while it does not. */
export function noteOf(
  { hitch, stage, estimateSeconds }: Errand,
  words: {
    ui: UiTexts;
    numbers: Numbers;
    texts: {
      readonly waiting: string;
      readonly estimate: string;
      readonly estimateCold: string;
      readonly failures: Readonly<Record<string, string>>;
    };
  },
  workerIsWarm: boolean,
): string {
  const { texts, ui, numbers } = words;
  if (hitch) {
    const { refusal, seconds } = hitch;
    const sentence = texts.failures[refusal.code] ?? refusal.message;
    return fill(refusal.status === 0 ? ui.hitch.offline : ui.hitch.refused, { sentence, seconds });
  }
  if (stage === 'waiting') return texts.waiting;
  if ((stage !== 'queued' && stage !== 'processing') || estimateSeconds === undefined) return '';
  const time = numbers.duration(estimateSeconds * 1000);
  return fill(workerIsWarm ? texts.estimate : texts.estimateCold, { time });
}

/**
 * How long each step took or has taken so far. A file may be done before anybody looked twice; how long the work took,
 * the answer says itself, and the rest was waiting.
 */
function timesOf({ began, state, stage }: Errand): Partial<Record<Stage, number>> {
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
