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

type Choice =
  /** `bonus`: by how many nats the likeliest token was ahead. */
  | { readonly token: number; readonly bonus: number }
  /** The term was not completed: continue with this state and the first `length` tokens. */
  | { readonly state: DecoderState; readonly length: number };

/**
 * Prefers terms in greedy decoding: shallow fusion with a prefix tree (Zhao et al. 2019, "Shallow-Fusion End-to-End Contextual
 * Biasing", Interspeech). A token that continues a term gets a bonus, bounded per token and per term. Where a beam search would
 * subtract the bonus of an incomplete term, decoding returns to the token before the term. The end of a word has to follow.
 */
export function createTermBias({ root, terms }: TermTree, { continuesWord }: Pick<Vocabulary, 'continuesWord'>) {
  const perToken = bonusOf(terms);
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
  function complete(plain: number, { logits }: DecoderState, bonus: number, length: number): Choice {
    const token = continuesWord(plain) ? likeliestEnd(logits) : plain;
    const lead = logits[plain]! - logits[token]!;
    if (lead > bonus) return reject(length);
    matches = [];
    branch = undefined;
    rejected = new Set();
    return { token, bonus: lead };
  }

  function likeliestEnd(logits: Float32Array): number {
    let best = 0;
    for (let token = 0; token < logits.length; token++)
      if ((logits[token]! > logits[best]! || continuesWord(best)) && !continuesWord(token)) best = token;
    return best;
  }

  return {
    /** The next token, given the one of plain decoding and the likeliest one. */
    choose(plain: number, likeliest: number, state: DecoderState, length: number): Choice {
      const { logits } = state;
      const highest = logits[likeliest]!;
      const open = branch ? matches : [...matches, { node: root, bonus: MAX_TERM_SHARE * perToken }];
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
        return atEnd === undefined ? reject(length) : complete(plain, state, Math.min(perToken, atEnd), length);
      const bonus = Math.max(0, highest - logits[token]!);
      if (token !== plain) branch ??= { length, state, matches, token };
      if (!branch) rejected = new Set();
      matches = open.flatMap((match) => {
        const next = match.node.next.get(token);
        return next && match.bonus >= bonus ? [{ node: next, bonus: match.bonus - bonus }] : [];
      });
      atEnd = branch && matches.find(({ node }) => node.isEnd)?.bonus;
      return { token, bonus: token === plain ? 0 : bonus };
    },
  };
}

/** Per token in nats: the more terms, the more of them are similar to other words. Measured with 30 and 1000 terms. */
const bonusOf = (terms: number) => Math.min(5, 5 - 1.5 * Math.log10(terms / 50));
/** Of the bonus per token. With 1.3, more of the development terms were missed; other words did not change. */
const MAX_TERM_SHARE = 2;
// Bounds the cost of terms that are not completed, for any number of terms.
const MAX_WASTED_SHARE = 0.08;
const FREE_TOKENS = 4;
