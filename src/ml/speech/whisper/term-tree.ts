import { UNSPACED } from '../sentences.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A node of the prefix tree over the tokens of the terms. */
export interface TermNode {
  readonly next: ReadonlyMap<number, TermNode>;
  /** Whether a term ends here. */
  readonly isEnd: boolean;
}

export interface TermTree {
  readonly root: TermNode;
  readonly terms: number;
}

interface Draft extends TermNode {
  readonly next: Map<number, Draft>;
  isEnd: boolean;
}

/** The prefix tree of the terms as words of a text: as written, and with a capital as at the start of a sentence. */
export function createTermTree(terms: readonly string[], { encode }: Pick<Vocabulary, 'encode'>): TermTree {
  const root: Draft = { next: new Map(), isEnd: false };
  for (const term of terms) {
    const spellings = new Set([term, term.charAt(0).toUpperCase() + term.slice(1)]);
    for (const spelling of spellings) addPath(root, encode(UNSPACED.test(term) ? spelling : ` ${spelling}`));
  }
  return { root, terms: terms.length };
}

function addPath(root: Draft, tokens: readonly number[]): void {
  let node = root;
  for (const token of tokens) {
    let next = node.next.get(token);
    if (next === undefined) {
      next = { next: new Map(), isEnd: false };
      node.next.set(token, next);
    }
    node = next;
  }
  node.isEnd = node !== root;
}
