import type { UtteredSegment, UtteredWord } from '../engine.ts';
import { onsets } from './alignment.ts';
import type { Spoken, Transcript } from './decode.ts';
import type { Vocabulary } from './vocabulary.ts';

const FRAME_SECONDS = 0.02;

/** The words of a transcript of `seconds` of sound, each with its time and how sure the model was of its letters. */
export function wordsOf(transcript: Transcript, vocabulary: Vocabulary, seconds: number): UtteredWord[] {
  const { spoken, endAttention } = transcript;
  if (spoken.length === 0) return [];
  const attentions = [...spoken.map(({ attention }) => attention), ...(endAttention ? [endAttention] : [])];
  const times = onsets(attentions, Math.max(1, Math.min(1500, Math.ceil(seconds / FRAME_SECONDS))));
  const timeOf = (token: number) => (token < times.length ? times[token]! * FRAME_SECONDS : seconds);

  const groups = joined(spelt(spoken, vocabulary));
  const words = groups.map(({ text, from, to }) => {
    const sure = spoken.slice(from, to).reduce((sum, { logProbability }) => sum + logProbability, 0) / (to - from);
    return { text: text.trim(), start: timeOf(from), end: timeOf(to), confidence: Math.exp(sure) };
  });
  return withoutPauses(words.filter(({ text }) => text !== ''));
}

/** Sentences, or what a pause sets apart, of the words of one window. */
export function sentences(words: readonly UtteredWord[]): UtteredSegment[] {
  const segments: UtteredWord[][] = [];
  for (const [i, word] of words.entries()) {
    const before = words[i - 1];
    const isNew = !before || ENDS_SENTENCE.test(before.text) || word.start - before.end > PAUSE_SECONDS;
    if (isNew) segments.push([word]);
    else segments.at(-1)!.push(word);
  }
  return segments.map((all) => ({
    start: all[0]!.start,
    end: all.at(-1)!.end,
    text: spacedText(all),
    words: all,
  }));
}

/** A stretch of tokens, `from` up to but without `to`, and what they spell. */
interface Group {
  text: string;
  readonly from: number;
  to: number;
}

/** Tokens, with those that spell one character only together put together. */
function spelt(spoken: readonly Spoken[], vocabulary: Vocabulary): Group[] {
  const groups: Group[] = [];
  let from = 0;
  for (let to = 1; to <= spoken.length; to++) {
    const text = vocabulary.text(spoken.slice(from, to).map(({ token }) => token));
    if (text.endsWith('\ufffd') && to < spoken.length) continue;
    groups.push({ text, from, to });
    from = to;
  }
  return groups;
}

/** Where there are spaces, a word is what lies between them; a script without them is split where the model split it. */
function joined(groups: readonly Group[]): Group[] {
  const words: Group[] = [];
  for (const group of groups) {
    const last = words.at(-1);
    const begins = !last || /^\s/.test(group.text) || (UNSPACED.test(group.text) && !/\s$/.test(last.text));
    const isMark = /^\s*[\p{P}\p{S}]+$/u.test(group.text) && !/^\s/.test(group.text);
    if (!last || (begins && !isMark)) words.push({ ...group });
    else {
      last.text += group.text;
      last.to = group.to;
    }
  }
  return words;
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const ENDS_SENTENCE = /[.!?…。！？]["'»”)]*$/;
const PAUSE_SECONDS = 1.5;

/** A path through attentions has no rows for pauses: they hang on the words beside them, first or last of a sentence. */
function withoutPauses(words: readonly UtteredWord[]): UtteredWord[] {
  const lengths = words.map(({ start, end }) => end - start).sort((a, b) => a - b);
  const longest = 2 * Math.min(0.7, Math.max(0.1, lengths[Math.floor(lengths.length / 2)] ?? 0));
  return words.map((word, i) => {
    if (word.end - word.start <= longest) return word;
    if (ENDS_SENTENCE.test(word.text)) return { ...word, end: word.start + longest };
    if (i === 0 || ENDS_SENTENCE.test(words[i - 1]!.text)) return { ...word, start: word.end - longest };
    return word;
  });
}

function spacedText(words: readonly UtteredWord[]): string {
  let text = '';
  for (const word of words) {
    const touches = text === '' || (UNSPACED.test(word.text) && UNSPACED.test(text.at(-1)!));
    text += touches ? word.text : ` ${word.text}`;
  }
  return text;
}
