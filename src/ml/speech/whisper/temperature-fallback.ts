import { deflateSync } from 'node:zlib';
import { createRandom } from '../../../base/random.ts';
import { type Transcript, transcribe } from './decode.ts';
import type { DecoderState } from './network.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * Transcribes with temperature fallback (arXiv:2212.04356 §4.5, with fewer temperatures). A repetitive or improbable
 * result is retried with sampling. If all tries repeat, a confident short repetition is accepted and a loop is not. Returns an empty transcript for
 * silence, and undefined if no try is credible: unclear speech, noise or music.
 */
export async function transcribeWithFallback(
  encoded: DecoderState,
  { vocabulary, language, task, keepLogits, probability, seconds, noSpeech, throwIfStopped }: FallbackOptions,
): Promise<Transcript | undefined> {
  const attempts: Attempt[] = [];
  for (const temperature of TEMPERATURES) {
    const random = createRandom(SEED);
    const most = Math.min(MAX_TOKENS, Math.ceil(TOKENS_PER_SECOND * seconds) + 10);
    const transcript = await transcribe(encoded, vocabulary, language, {
      task,
      maxTokens: most,
      temperature,
      random,
      keepLogits,
      throwIfStopped,
    });
    const attempt = evaluate(transcript, vocabulary);
    const mayBeSilent = noSpeech > NO_SPEECH_THRESHOLD && attempt.average < NO_SPEECH_LOGPROB_THRESHOLD;
    if (mayBeSilent) return EMPTY_TRANSCRIPT;
    attempts.push(attempt);
    // People repeat sentences; other attempts would take as long and vary the words.
    if (temperature === 0 && attempt.repeats === 'again' && attempt.average >= CONFIDENT_REPETITION_LOGPROB) break;
    if (
      attempt.repeats === 'not' &&
      attempt.average >= (temperature === 0 ? GREEDY_LOGPROB_THRESHOLD : LOGPROB_THRESHOLD)
    )
      break;
  }
  const withoutRepeats = attempts.filter(({ repeats }) => repeats === 'not');
  const acceptable = withoutRepeats.length > 0 ? withoutRepeats : attempts.filter(({ repeats }) => repeats === 'again');
  const best = acceptable.reduce<Attempt | undefined>((a, b) => (a && a.average >= b.average ? a : b), undefined);
  if (
    !best ||
    best.average < MIN_LOGPROB ||
    (best.average < LOGPROB_THRESHOLD && probability < LANGUAGE_PROBABILITY_THRESHOLD)
  )
    return undefined;
  return best.transcript;
}

export interface FallbackOptions {
  readonly vocabulary: Vocabulary;
  readonly language: string;
  /** The token of the task; default: transcribe. */
  readonly task?: number;
  /** For `preferTerms`. */
  readonly keepLogits?: boolean;
  readonly probability: number;
  readonly seconds: number;
  readonly noSpeech: number;
  readonly throwIfStopped: () => void;
}

const TEMPERATURES = [0, 0.4, 0.8];
const NO_SPEECH_THRESHOLD = 0.6;
const LOGPROB_THRESHOLD = -1;
const COMPRESSION_RATIO_THRESHOLD = 2.4;
// Measured: a sentence said twice has a ratio of 2.5 to 2.6, three times 3.8; a loop of ten short ones 6 or more.
const MAX_REPEATED_SPEECH_RATIO = 4;
// Greedy results below this get one more try: decoding is cheap beside encoding.
const GREEDY_LOGPROB_THRESHOLD = -0.5;
// Measured: sentences said twice have -0.07 or more.
const CONFIDENT_REPETITION_LOGPROB = -0.15;
// Without timestamps hallucinations score higher: "you" for silence at -0.54.
const NO_SPEECH_LOGPROB_THRESHOLD = -0.5;
// Measured: speech of one second and more has 0.7 or more; noise, hum and melodies stay below 0.64.
const LANGUAGE_PROBABILITY_THRESHOLD = 0.66;
// Measured: below this no word was correct in any language.
const MIN_LOGPROB = -1.5;
// Half of the model's 448 positions, as in training; faster speech does not occur.
const MAX_TOKENS = 220;
const TOKENS_PER_SECOND = 15;
const EMPTY_TRANSCRIPT: Transcript = { tokens: [], endLogProbability: 0, stopped: 'end' };

interface Attempt {
  readonly transcript: Transcript;
  readonly average: number;
  /** `again`: a confident, complete text that repeats a phrase two or three times. */
  readonly repeats: 'not' | 'again' | 'loop';
}

function evaluate(transcript: Transcript, vocabulary: Vocabulary): Attempt {
  const { tokens, endLogProbability, stopped } = transcript;
  const sum = tokens.reduce((total, { logProbability }) => total + logProbability, endLogProbability);
  const average = sum / (tokens.length + 1);
  const ratio = compressionRatio(vocabulary.text(tokens.map(({ token }) => token)));
  const isWhole = stopped === 'end' && average >= GREEDY_LOGPROB_THRESHOLD && ratio <= MAX_REPEATED_SPEECH_RATIO;
  const isRepetitive = stopped === 'loop' || ratio > COMPRESSION_RATIO_THRESHOLD;
  return { transcript, average, repeats: !isRepetitive ? 'not' : isWhole ? 'again' : 'loop' };
}

/** zlib compression ratio; above 2.4 for repetitive text. */
export function compressionRatio(text: string): number {
  const bytes = Buffer.from(text);
  return bytes.length / deflateSync(bytes).length;
}

/** Fixed, so that transcripts are reproducible. */
const SEED = 20_220_921;
