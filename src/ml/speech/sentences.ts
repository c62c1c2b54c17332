import type { UtteredSegment, UtteredWord } from './engine.ts';

/** Scripts that put no spaces between words. */
export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
export const ENDS_SENTENCE = /[.!?…。！？]["'»”)]*$/;

// A pause that long sets apart what no full stop does.
const PAUSE_SECONDS = 1.5;

/** Sentences, or what a pause sets apart, of the words of one window. */
export function sentences(words: readonly UtteredWord[]): UtteredSegment[] {
  const groups: UtteredWord[][] = [];
  for (const [i, word] of words.entries()) {
    const before = words[i - 1];
    const isNew = !before || endsSentence(before, word) || word.start - before.end > PAUSE_SECONDS;
    if (isNew) groups.push([word]);
    else groups.at(-1)!.push(word);
  }
  return groups.map((all) => ({ start: all[0]!.start, end: all.at(-1)!.end, text: joined(all), words: all }));
}

/** Sentences of a text of which nothing is known but how long it took: each gets its share by its letters. */
export function sentencesByLength(text: string, seconds: number): UtteredSegment[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const perLetter = seconds / Math.max(1, words.join('').length);
  let at = 0;
  const timed = words.map((word) => {
    const start = at;
    at += word.length * perLetter;
    return { text: word, start, end: at };
  });
  // Good enough to find a sentence in a window, not a word in a sentence.
  return sentences(timed).map(({ start, end, text: sentence }) => ({ start, end, text: sentence }));
}

/** "Mr. Quilter" is no end, nor is "3. Mai" or "т. е.": after a short word only a pause is. */
function endsSentence({ text, end }: UtteredWord, next: UtteredWord): boolean {
  if (!ENDS_SENTENCE.test(text)) return false;
  const isShort = /^["'«“(]*([\p{L}\p{N}]{1,2}|mrs|prof|стр|рис|руб|тыс|обл|проф)\.$/iu.test(text);
  return !isShort || next.start - end > SHORT_PAUSE_SECONDS;
}
const SHORT_PAUSE_SECONDS = 0.5;

function joined(words: readonly UtteredWord[]): string {
  let text = '';
  for (const word of words) {
    const touches = text === '' || (UNSPACED.test(word.text[0]!) && UNSPACED.test(text.at(-1)!));
    text += touches ? word.text : ` ${word.text}`;
  }
  return text;
}
