import type { Segment, VocabularyTerm, Word } from './recognizer.ts';

/** Returns a function that writes terms in segments as the vocabulary spells them: recognized spoken forms, and other capitals. */
export function createSpelling(
  vocabulary: readonly VocabularyTerm[],
): (segments: readonly Segment[]) => readonly Segment[] {
  const forms = new Map<string, string>();
  for (const { term, spoken = [] } of vocabulary) {
    for (const form of spoken) forms.set(keyOf(form.split(' ')), term);
    // "Lintel" at the start of a sentence stays; "xypex" becomes "Xypex".
    if (term !== term.toLowerCase()) forms.set(keyOf(term.split(' ')), term);
  }
  if (forms.size === 0) return (segments) => segments;
  const longest = Math.max(...[...forms.keys()].map((key) => key.split(' ').length));

  function spell(words: readonly Word[]): Word[] {
    const result: Word[] = [];
    for (let at = 0; at < words.length; ) {
      let count = Math.min(longest, words.length - at);
      let term: string | undefined;
      for (; count > 0; count--) {
        term = forms.get(keyOf(words.slice(at, at + count).map(({ text }) => text)));
        if (term !== undefined) break;
      }
      const spoken = words.slice(at, at + Math.max(1, count));
      result.push(term === undefined ? words[at]! : joinAs(term, spoken));
      at += spoken.length;
    }
    return result;
  }

  return (segments) =>
    segments.map((segment) => {
      const words = segment.words ?? segment.text.split(' ').map((text) => ({ text, start: 0, end: 0 }));
      const spelt = spell(words);
      const isSame = spelt.length === words.length && spelt.every((word, i) => word === words[i]);
      if (isSame) return segment;
      return { ...segment, text: spelt.map(({ text }) => text).join(' '), ...(segment.words && { words: spelt }) };
    });
}

const isMark = (character: string) => /^[\p{P}\p{S}]$/u.test(character);

/** A word without the marks around it. */
function splitMarks(word: string): { before: string; letters: string; after: string } {
  const characters = [...word];
  const [from, to] = [
    characters.findIndex((each) => !isMark(each)),
    characters.findLastIndex((each) => !isMark(each)) + 1,
  ];
  const part = (start: number, end?: number) => characters.slice(start, end).join('');
  return from < 0
    ? { before: word, letters: '', after: '' }
    : { before: part(0, from), letters: part(from, to), after: part(to) };
}

const keyOf = (words: readonly string[]) => words.map((word) => splitMarks(word).letters.toLowerCase()).join(' ');

function joinAs(term: string, spoken: readonly Word[]): Word {
  const [first, last] = [spoken[0]!, spoken.at(-1)!];
  const { before } = splitMarks(first.text);
  const { after } = splitMarks(last.text);
  const confidences = spoken.flatMap(({ confidence }) => confidence ?? []);
  return {
    text: before + term + after,
    start: first.start,
    end: last.end,
    ...(confidences.length > 0 && { confidence: Math.min(...confidences) }),
  };
}
