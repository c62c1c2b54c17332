import { median } from '../../../base/median.ts';
import { SAMPLE_RATE } from '../../audio/audio-constants.ts';
import type { Word } from '../recognizer.ts';
import { ENDS_SENTENCE } from '../sentences.ts';
import { tokenOnsets } from './alignment.ts';
import type { Transcript } from './decode.ts';
import { WINDOW_SECONDS } from './log-mel.ts';
import { detectQuietFrames, FRAME_SECONDS } from './silence.ts';
import { wordsOfTokens } from './token-words.ts';
import type { Vocabulary } from './vocabulary.ts';

export function timedWords(transcript: Transcript, vocabulary: Vocabulary, samples: Float32Array): Word[] {
  const seconds = Math.min(WINDOW_SECONDS, samples.length / SAMPLE_RATE);
  const { tokens, endAttention } = transcript;
  if (tokens.length === 0) return [];
  const attentions = [...tokens.map(({ attention }) => attention), ...(endAttention ? [endAttention] : [])];
  const times = tokenOnsets(attentions, Math.max(1, Math.min(1500, Math.ceil(seconds / FRAME_SECONDS))));
  const timeOf = (token: number) => (token < times.length ? times[token]! * FRAME_SECONDS : seconds);

  const groups = wordsOfTokens(
    tokens.map(({ token }) => token),
    vocabulary,
  );
  const words = groups.map(({ text, from, to }) => {
    const sure = tokens.slice(from, to).reduce((sum, { logProbability }) => sum + logProbability, 0) / (to - from);
    return { text: text.trim(), start: timeOf(from), end: timeOf(to), confidence: Math.exp(sure) };
  });
  return trimPauses(
    words.filter(({ text }) => text !== ''),
    samples,
  );
}

/**
 * The alignment assigns pauses to the adjacent words. Overlong words lose the quiet at their edges; without quiet, a
 * word at a sentence boundary is shortened.
 */
function trimPauses(words: readonly Word[], samples: Float32Array): Word[] {
  const typicalSeconds = median(words.map(({ start, end }) => end - start));
  const maxSeconds = 2 * Math.min(0.7, Math.max(0.1, typicalSeconds));
  const isQuiet = detectQuietFrames(samples);
  return words.map((word, i) => {
    if (word.end - word.start <= maxSeconds) return word;
    let [from, to] = [Math.round(word.start / FRAME_SECONDS), Math.round(word.end / FRAME_SECONDS)];
    while (to - from > MIN_WORD_FRAMES && isQuiet(from)) from++;
    while (to - from > MIN_WORD_FRAMES && isQuiet(to - 1)) to--;
    const [start, end] = [from * FRAME_SECONDS, to * FRAME_SECONDS];
    if (end - start <= maxSeconds) return { ...word, start, end };
    if (ENDS_SENTENCE.test(word.text)) return { ...word, start, end: start + maxSeconds };
    if (i === 0 || ENDS_SENTENCE.test(words[i - 1]!.text)) return { ...word, start: end - maxSeconds, end };
    return { ...word, start, end };
  });
}

const MIN_WORD_FRAMES = 5;
