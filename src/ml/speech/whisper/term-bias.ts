import { argmax } from '../../tensor.ts';
import { logSumExp, suppressTokens } from './logits.ts';
import type { DecoderState } from './network.ts';
import type { TermNode, TermTree } from './term-tree.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A term of which the last tokens are a prefix. */
interface Match {
  readonly node: TermNode;
  /** The part of the bonus that is left for the term, in nats. */
  readonly bonus: number;
}

/** The decoding before the first token that was chosen because of its bonus. */
interface Branch {
  readonly length: number;
  readonly state: DecoderState;
  readonly matches: readonly Match[];
  readonly token: number;
}

type Spoken = readonly { readonly logProbability: number }[];

type Choice =
  /** `bonus`: by how many nats the likeliest token was ahead. */
  | { readonly token: number; readonly bonus: number }
  /** The term was not completed or is too improbable: continue with this state and the first `length` tokens. */
  | { readonly state: DecoderState; readonly length: number };

/**
 * Prefers terms in greedy decoding: shallow fusion with a prefix tree (Zhao et al. 2019, "Shallow-Fusion End-to-End Contextual
 * Biasing", Interspeech). A token that continues a term gets a bonus, bounded per token and per term. Where a beam search would
 * subtract the bonus of an incomplete term, decoding returns to the token before the term. The end of a word has to follow. A complete
 * term is compared with the text without it: after a wrong token all tokens are improbable, so that each needs only a small bonus.
 */
export function createTermBias({ root, terms }: TermTree, vocabulary: Vocabulary, throwIfStopped: () => void) {
  const { continuesWord, endOfText } = vocabulary;
  const perToken = bonusOf(terms);
  const perTerm = MAX_TERM_SHARE * perToken;
  let matches: readonly Match[] = [];
  let branch: Branch | undefined;
  /** The bonus that is left at the end of a term; undefined inside of one. */
  let atEnd: number | undefined;
  let rejected = new Set<number>();
  let wastedTokens = 0;

  function reject(length: number): Choice {
    const { state, length: kept, matches: earlier, token } = branch!;
    wastedTokens += length - kept;
    rejected.add(token);
    matches = earlier;
    branch = undefined;
    return { state, length: kept };
  }

  /** The end of the branch's term, or its rejection if a part of a word is too likely to follow. */
  async function complete(plain: number, { logits }: DecoderState, bonus: number, spoken: Spoken): Promise<Choice> {
    const token = continuesWord(plain) ? likeliestEnd(logits) : plain;
    const lead = logits[plain]! - logits[token]!;
    if (lead > bonus) return reject(spoken.length);
    const term = spoken.slice(branch!.length).map(({ logProbability }) => logProbability);
    const withTerm = sum([...term, logits[token]! - logSumExp(logits)]);
    if ((await likeliestText(branch!.state, term.length + 1)) - withTerm > perTerm) return reject(spoken.length);
    matches = [];
    branch = undefined;
    rejected = new Set();
    return { token, bonus: lead };
  }

  /** The log-probability of the greedy text of `length` tokens, or up to its end. */
  async function likeliestText(start: DecoderState, length: number): Promise<number> {
    let [state, total] = [start, 0];
    for (let left = length; ; left--) {
      suppressTokens(state.logits, vocabulary, false);
      const token = argmax(state.logits);
      total += state.logits[token]! - logSumExp(state.logits);
      if (left === 1 || token === endOfText) return total;
      throwIfStopped();
      state = await state.step(token);
    }
  }

  function likeliestEnd(logits: Float32Array): number {
    let best = 0;
    for (let token = 0; token < logits.length; token++)
      if ((logits[token]! > logits[best]! || continuesWord(best)) && !continuesWord(token)) best = token;
    return best;
  }

  return {
    /** The next token, given the likeliest one and the text so far. */
    async choose(plain: number, state: DecoderState, spoken: Spoken): Promise<Choice> {
      const { logits } = state;
      const { length } = spoken;
      const highest = logits[plain]!;
      const open = branch ? matches : [...matches, { node: root, bonus: perTerm }];
      // Whisper can begin a text at any word: there the bonus would drop the words before a term.
      const mayBranch = length > 0 && wastedTokens <= FREE_TOKENS + MAX_WASTED_SHARE * length;
      let [token, score] = [plain, highest];
      for (const { node, bonus } of branch || mayBranch ? open : []) {
        for (const each of node.next.keys()) {
          const preferred = logits[each]! + Math.min(bonus, perToken);
          if (preferred <= score || (!branch && rejected.has(each))) continue;
          [token, score] = [each, preferred];
        }
      }
      const isPrefix = open.some(({ node }) => node !== root && node.next.has(token));
      if (branch && !isPrefix)
        return atEnd === undefined ? reject(length) : complete(plain, state, Math.min(perToken, atEnd), spoken);
      const bonus = highest - logits[token]!;
      if (token !== plain) branch ??= { length, state, matches, token };
      if (!branch) rejected = new Set();
      matches = open.flatMap((match) => {
        const next = match.node.next.get(token);
        return next && match.bonus >= bonus ? [{ node: next, bonus: match.bonus - bonus }] : [];
      });
      atEnd = branch && matches.find(({ node }) => node.isEnd)?.bonus;
      return { token, bonus };
    },
  };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Per token in nats: the more terms, the more of them are similar to other words. Measured with 30 and 1000 terms. */
const bonusOf = (terms: number) => Math.min(5, 5 - 1.5 * Math.log10(terms / 50));
/** Of the bonus per token. With 1.3, more of the development terms were missed; other words did not change. */
const MAX_TERM_SHARE = 2;
// Bounds the cost of terms that are not completed, for any number of terms.
const MAX_WASTED_SHARE = 0.08;
const FREE_TOKENS = 4;
