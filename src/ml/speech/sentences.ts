import type { Segment, Word } from './recognizer.ts';

export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
export const ENDS_SENTENCE = /[.!?…。！？]["'»”)]*$/;

const PAUSE_SECONDS = 1.5;

export function splitSentences(words: readonly Word[]): Segment[] {
  const groups: Word[][] = [];
  for (const [i, word] of words.entries()) {
    const before = words[i - 1];
    const startsSentence = !before || endsSentence(before, word) || word.start - before.end > PAUSE_SECONDS;
    if (startsSentence) groups.push([word]);
    else groups.at(-1)!.push(word);
  }
  return groups.map((all) => ({ start: all[0]!.start, end: all.at(-1)!.end, text: joinWords(all), words: all }));
}

/** Splits a text without word times; durations are proportional to the number of letters. */
export function splitSentencesByLength(text: string, seconds: number): Segment[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const perLetter = seconds / Math.max(1, words.join('').length);
  let at = 0;
  const timed = words.map((word) => {
    const start = at;
    at += word.length * perLetter;
    return { text: word, start, end: at };
  });
  return splitSentences(timed).map(({ start, end, text: sentence }) => ({ start, end, text: sentence }));
}

/** Abbreviations and ordinals ("Mr. Quilter", "3. Mai", "т. е.") end a sentence only before a pause. */
function endsSentence({ text, end }: Word, next: Word): boolean {
  if (!ENDS_SENTENCE.test(text)) return false;
  const isShort = /^["'«“(]*([\p{L}\p{N}]{1,2}|mrs|prof|стр|рис|руб|тыс|обл|проф)\.$/iu.test(text);
  return !isShort || next.start - end > SHORT_PAUSE_SECONDS;
}
const SHORT_PAUSE_SECONDS = 0.5;

function joinWords(words: readonly Word[]): string {
  let text = '';
  for (const word of words) {
    const touches = text === '' || (UNSPACED.test(word.text[0]!) && UNSPACED.test(text.at(-1)!));
    text += touches ? word.text : ` ${word.text}`;
  }
  return text;
}
