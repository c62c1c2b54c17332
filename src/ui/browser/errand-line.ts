import { type Api, Refusal } from './api.ts';
import { type Errand, giveUp, isOver } from './errand.ts';
import { fill } from './fill.ts';

/** The files of this visit, of which only so many are on their way at once. */
export interface ErrandLine<It extends Errand> {
  /** In the order in which they came. */
  readonly all: readonly It[];
  join(it: It): void;
  /** Sends as many as there is room for; each that ends sends the next. */
  next(): void;
  cancel(it: It): Promise<void>;
}

export function openErrandLine<It extends Errand>(how: {
  readonly api: Api;
  readonly atOnce: number;
  /** Takes one through the public API; throws {@link Refusal} where that says no. */
  readonly run: (it: It, changed: () => void) => Promise<void>;
  readonly changed: (it: It) => void;
  /** For a failure that is none of the service's: with a place for its `{message}`. */
  readonly unexpected: string;
}): ErrandLine<It> {
  const { api, atOnce, changed, unexpected } = how;
  const all: It[] = [];

  function next(): void {
    const going = all.filter((it) => it.stage !== 'waiting' && !isOver(it)).length;
    const waiting = all.filter(({ stage }) => stage === 'waiting');
    for (const it of waiting.slice(0, Math.max(0, atOnce - going))) void run(it);
  }

  async function run(it: It): Promise<void> {
    try {
      await how.run(it, () => changed(it));
    } catch (error) {
      if (it.stop.signal.aborted) return ended(it, 'cancelled');
      it.failure =
        error instanceof Refusal
          ? { code: error.code, sentence: error.message }
          : { code: '', sentence: fill(unexpected, { message: String(error) }) };
      return ended(it, 'failed');
    }
    changed(it);
    next();
  }

  function ended(it: It, stage: 'failed' | 'cancelled'): void {
    it.stage = stage;
    it.began[stage] = performance.now();
    changed(it);
    next();
  }

  return {
    all,
    join: (it) => void all.push(it),
    next,
    async cancel(it) {
      const waited = it.stage === 'waiting';
      // A refusal means that it has just ended by itself, which the result will tell.
      await giveUp(it, api).catch(() => {});
      if (waited) ended(it, 'cancelled');
    },
  };
}
