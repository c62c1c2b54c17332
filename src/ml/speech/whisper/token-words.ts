import { UNSPACED } from '../sentences.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A word of a transcript, with the marks after it, as the tokens `from` to before `to`. */
export interface TokenWord {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** The end of its tokens without the marks after it. */
  readonly lettersTo: number;
}

type Group = { -readonly [Key in keyof TokenWord]: TokenWord[Key] };

/** The words of a text: divided at spaces, or as tokenized in scripts without spaces. */
export function wordsOfTokens(tokens: readonly number[], vocabulary: Vocabulary): readonly TokenWord[] {
  return joinWords(groupTokens(tokens, vocabulary));
}

/** Joins tokens of which each has only a part of a character. */
function groupTokens(tokens: readonly number[], vocabulary: Vocabulary): Group[] {
  const groups: Group[] = [];
  let from = 0;
  for (let to = 1; to <= tokens.length; to++) {
    const text = vocabulary.text(tokens.slice(from, to));
    if (text.endsWith('\ufffd') && to < tokens.length) continue;
    groups.push({ text, from, to, lettersTo: to });
    from = to;
  }
  return groups;
}

function joinWords(groups: readonly Group[]): Group[] {
  const words: Group[] = [];
  for (const group of groups) {
    const last = words.at(-1);
    const begins = !last || /^\s/.test(group.text) || (UNSPACED.test(group.text) && !/\s$/.test(last.text));
    const isMark = /^\s*[\p{P}\p{S}]+$/u.test(group.text) && !/^\s/.test(group.text);
    if (!last || (begins && !isMark)) words.push({ ...group });
    else {
      last.text += group.text;
      last.to = group.to;
      if (!isMark) last.lettersTo = group.to;
    }
  }
  return words;
}
