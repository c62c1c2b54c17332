import { deflateSync } from 'node:zlib';
import { type Transcript, transcribe } from './decode.ts';
import type { Heard } from './network.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * A transcript that can be believed, or an empty one. A first one that repeats itself or that the model hardly believes
 * itself is tried again with chance in it (arXiv:2212.04356 §4.5, with fewer tries). Where all of them repeat themselves,
 * it may be that somebody said the same thing twice; what goes round and round is not taken. Where the model thinks that
 * nobody speaks, or knows neither what was said nor in which language, nothing is said: noise and music end there.
 */
export async function faithful(
  heard: Heard,
  { vocabulary, language, probability, seconds, noSpeech, throwIfStopped }: Circumstances,
): Promise<Transcript> {
  const tries: Judged[] = [];
  for (const temperature of TEMPERATURES) {
    const random = seeded();
    const most = Math.min(MOST_TOKENS, Math.ceil(TOKENS_PER_SECOND * seconds) + 10);
    const transcript = await transcribe(heard, vocabulary, language, { most, temperature, random, throwIfStopped });
    const judged = judge(transcript, vocabulary);
    if (noSpeech > SILENT && judged.average < DOUBTFUL) return NOTHING;
    tries.push(judged);
    if (judged.repeats === 'not' && judged.average >= (tries.length === 1 ? UNEASY : UNSURE)) break;
  }
  const plain = tries.filter(({ repeats }) => repeats === 'not');
  const sane = plain.length > 0 ? plain : tries.filter(({ repeats }) => repeats === 'again');
  const best = sane.reduce<Judged | undefined>((a, b) => (a && a.average >= b.average ? a : b), undefined);
  if (!best || best.average < HOPELESS || (best.average < UNSURE && probability < FOREIGN)) return NOTHING;
  return best.transcript;
}

export interface Circumstances {
  readonly vocabulary: Vocabulary;
  readonly language: string;
  /** That it is this language, 0..1; 1 where somebody said so. */
  readonly probability: number;
  /** How much sound there is. */
  readonly seconds: number;
  /** That nobody speaks, 0..1. */
  readonly noSpeech: number;
  readonly throwIfStopped: () => void;
}

const TEMPERATURES = [0, 0.4, 0.8];
// The bounds of the paper.
const SILENT = 0.6;
const UNSURE = -1;
const REPETITIVE = 2.4;
// Measured: a sentence that is said twice comes to 2.5 or 2.6, three times to 3.8; a loop of ten short ones to 6 and more.
const SAID_AGAIN = 4;
// What it half believes is worth one other try, of which the better one is taken: words are cheap beside listening.
const UNEASY = -0.5;
// Without times between its words the model is surer of what it makes up: of silence it says "you" at -0.54.
const DOUBTFUL = -0.5;
// Measured: speech, of a second even, is some language with 0.7 and more; noise, hum and melodies stay below 0.64.
const FOREIGN = 0.66;
// Of what is believed that little no word was right, whatever the language.
const HOPELESS = -1.5;
// Half of the model's 448 positions, as it was trained; and nobody speaks faster than that for long.
const MOST_TOKENS = 220;
const TOKENS_PER_SECOND = 15;
const NOTHING: Transcript = { spoken: [], endLogProbability: 0, stopped: 'end' };

interface Judged {
  readonly transcript: Transcript;
  /** Mean logarithm of the probabilities of its tokens. */
  readonly average: number;
  /** `again`: like somebody who says the same thing two or three times, to its end, and the model is sure of it. */
  readonly repeats: 'not' | 'again' | 'loop';
}

function judge(transcript: Transcript, vocabulary: Vocabulary): Judged {
  const { spoken, endLogProbability, stopped } = transcript;
  const sum = spoken.reduce((total, { logProbability }) => total + logProbability, endLogProbability);
  const average = sum / (spoken.length + 1);
  const ratio = compressionRatio(vocabulary.text(spoken.map(({ token }) => token)));
  const isWhole = stopped === 'end' && average >= UNEASY && ratio <= SAID_AGAIN;
  const isRepetitive = stopped === 'loop' || ratio > REPETITIVE;
  return { transcript, average, repeats: !isRepetitive ? 'not' : isWhole ? 'again' : 'loop' };
}

/** How much shorter a text can be said: more than 2.4 times where it repeats itself. */
export function compressionRatio(text: string): number {
  const bytes = Buffer.from(text);
  return bytes.length / deflateSync(bytes).length;
}

/** The same chance every time (mulberry32): a recording has one transcript, not another one each day. */
function seeded(): () => number {
  let state = 20_220_921;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
