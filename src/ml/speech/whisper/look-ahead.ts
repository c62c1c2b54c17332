import { argmax } from '../../tensor.ts';
import { logSumExp, suppressTokens } from './logits.ts';
import type { DecoderState } from './network.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A token and the state after it. */
interface Step {
  readonly token: number;
  readonly next: DecoderState;
}

/** Tokens after a state, and the log-probability of the first, the first two, and so on, up to a constant of that state. */
interface Sequel {
  readonly token: number;
  readonly steps: readonly Step[];
  readonly scores: readonly number[];
}

/**
 * Greedy decoding that looks ahead at doubtful places: if the second most probable token is nearly as probable as the first, the
 * tokens that follow each of them decide. This is a beam search of width two over `SEQUEL_TOKENS`, only where it can matter. The
 * steps of the better sequel are not computed again.
 */
export function createLookAhead(vocabulary: Vocabulary, throwIfStopped: () => void) {
  /** Of the better sequel, from the current state on. */
  let known: readonly Step[] = [];
  let stepsLeft = FREE_STEPS;

  /** Ends early at the end of the text, or when the score is not above `least`. */
  async function follow(state: DecoderState, first: number, computed: readonly Step[], least: number): Promise<Sequel> {
    const steps: Step[] = [];
    const scores = [state.logits[first]!];
    let [current, token] = [state, first];
    while (steps.length < SEQUEL_TOKENS && token !== vocabulary.endOfText && scores.at(-1)! > least) {
      throwIfStopped();
      const step = computed[steps.length] ?? { token, next: await takeStep(current, token) };
      steps.push(step);
      current = step.next;
      token = argmax(current.logits);
      scores.push(scores.at(-1)! + current.logits[token]! - logSumExp(current.logits));
    }
    return { token: first, steps, scores };
  }

  async function takeStep(state: DecoderState, token: number): Promise<DecoderState> {
    stepsLeft--;
    const next = await state.step(token);
    suppressTokens(next.logits, vocabulary, false);
    return next;
  }

  return {
    /** The token after `state`, in whose logits the tokens that are not allowed are suppressed. */
    async choose(state: DecoderState): Promise<number> {
      const { logits } = state;
      const [best, second] = mostProbable(logits);
      stepsLeft++;
      // The end of the text has no sequel to compare.
      const mayEnd = best === vocabulary.endOfText || second === vocabulary.endOfText;
      const isDoubtful = logits[best]! - logits[second]! < DOUBTFUL && !mayEnd;
      if (!isDoubtful || stepsLeft < 2 * SEQUEL_TOKENS) return best;
      const likelier = await follow(state, best, known, Number.NEGATIVE_INFINITY);
      const other = await follow(state, second, [], likelier.scores.at(-1)!);
      // The text may end in one of them.
      const last = Math.min(likelier.scores.length, other.scores.length) - 1;
      const better = other.scores[last]! > likelier.scores[last]! ? other : likelier;
      known = better.steps;
      return better.token;
    },

    /** The state after `state` and the chosen `token`. */
    async step(state: DecoderState, token: number): Promise<DecoderState> {
      const step = known[0];
      known = known.slice(1);
      return step?.next ?? (await state.step(token));
    },
  };
}

function mostProbable(logits: Float32Array): [best: number, second: number] {
  const best = argmax(logits);
  let second = best === 0 ? 1 : 0;
  for (let token = 0; token < logits.length; token++) {
    if (token !== best && logits[token]! > logits[second]!) second = token;
  }
  return [best, second];
}

/** Difference of the logits, in nats. */
const DOUBTFUL = 0.5;
const SEQUEL_TOKENS = 4;
/** Besides one per token, so that noise, where each token is doubtful, takes at most about twice the steps. */
const FREE_STEPS = 16;
