import type { UtteredWord } from '../engine.ts';
import { ENDS_SENTENCE, UNSPACED } from '../sentences.ts';
import { onsets } from './alignment.ts';
import type { Spoken, Transcript } from './decode.ts';
import { HEARD_SECONDS, SAMPLE_RATE } from './log-mel.ts';
import { FRAME_SECONDS, quiet } from './quiet.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The words of a transcript of these samples, each with its time and how sure the model was of its letters. */
export function wordsOf(transcript: Transcript, vocabulary: Vocabulary, samples: Float32Array): UtteredWord[] {
  const seconds = Math.min(HEARD_SECONDS, samples.length / SAMPLE_RATE);
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
  return withoutPauses(
    words.filter(({ text }) => text !== ''),
    samples,
  );
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

/**
 * The path through the attentions has no rows for pauses: they hang on the words beside them. A word that takes too long
 * gives the quiet at its edges back; where there is no quiet to be found, what begins or ends a sentence is cut short.
 */
function withoutPauses(words: readonly UtteredWord[], samples: Float32Array): UtteredWord[] {
  const lengths = words.map(({ start, end }) => end - start).sort((a, b) => a - b);
  const longest = 2 * Math.min(0.7, Math.max(0.1, lengths[Math.floor(lengths.length / 2)] ?? 0));
  const isQuiet = quiet(samples);
  return words.map((word, i) => {
    if (word.end - word.start <= longest) return word;
    let [from, to] = [Math.round(word.start / FRAME_SECONDS), Math.round(word.end / FRAME_SECONDS)];
    while (to - from > SHORTEST_FRAMES && isQuiet(from)) from++;
    while (to - from > SHORTEST_FRAMES && isQuiet(to - 1)) to--;
    const [start, end] = [from * FRAME_SECONDS, to * FRAME_SECONDS];
    if (end - start <= longest) return { ...word, start, end };
    if (ENDS_SENTENCE.test(word.text)) return { ...word, start, end: start + longest };
    if (i === 0 || ENDS_SENTENCE.test(words[i - 1]!.text)) return { ...word, start: end - longest, end };
    return { ...word, start, end };
  });
}

const SHORTEST_FRAMES = 5;
