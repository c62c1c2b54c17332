import type { Heard } from './network.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A token of a transcript: how sure the model was of it (a natural logarithm), and where it looked for it. */
export interface Spoken {
  readonly token: number;
  readonly logProbability: number;
  readonly attention: readonly Float32Array[];
}

export interface Transcript {
  readonly spoken: readonly Spoken[];
  /** That the text ends here, as sure as the model was of it; 0 where it was cut off. */
  readonly endLogProbability: number;
  /** Where it looked when it ended; absent where it was cut off. */
  readonly endAttention?: readonly Float32Array[];
  /** `end`: the model said so. `loop`: it began to repeat itself. `length`: it would have gone on. */
  readonly stopped: 'end' | 'loop' | 'length';
}

export interface DecodingOptions {
  readonly most: number;
  /** 0 takes the likeliest token each time; more lets chance have a say (and `random` decide). */
  readonly temperature?: number;
  readonly random?: () => number;
  /** Throws when nobody waits for the text any more. */
  readonly throwIfStopped: () => void;
}

/** The language that the model hears, and how likely that is among those that it knows; `heard` is after the first token. */
export function hearLanguage({ logits }: Heard, { languages }: Vocabulary): { language: string; probability: number } {
  const likely = [...languages].map(([language, token]) => ({ language, logit: logits[token]! }));
  const best = likely.reduce((a, b) => (b.logit > a.logit ? b : a));
  const sum = likely.reduce((total, { logit }) => total + Math.exp(logit - best.logit), 0);
  return { language: best.language, probability: 1 / sum };
}

/** How likely it is that nobody speaks, as the model says it before anything else. */
export function noSpeechProbability({ logits }: Heard, { noSpeech }: Vocabulary): number {
  return Math.exp(logits[noSpeech]! - logSumExp(logits));
}

/** Writes down what was heard after the first token, in this language, token by token. */
export async function transcribe(
  heard: Heard,
  vocabulary: Vocabulary,
  language: string,
  { most, temperature = 0, random = Math.random, throwIfStopped }: DecodingOptions,
): Promise<Transcript> {
  const spoken: Spoken[] = [];
  let here = heard;
  for (const token of [vocabulary.languages.get(language)!, vocabulary.transcribe, vocabulary.noTimestamps]) {
    here = await here.after(token);
  }
  for (;;) {
    throwIfStopped();
    const { logits } = here;
    silence(logits, vocabulary, spoken.length === 0);
    const token = temperature === 0 ? likeliest(logits) : drawn(logits, temperature, random());
    const logProbability = logits[token]! - logSumExp(logits);
    if (token === vocabulary.endOfText) {
      return { spoken, endLogProbability: logProbability, endAttention: here.attention, stopped: 'end' };
    }
    spoken.push({ token, logProbability, attention: here.attention });
    if (isLooping(spoken)) return { spoken, endLogProbability: 0, stopped: 'loop' };
    if (spoken.length === most) return { spoken, endLogProbability: 0, stopped: 'length' };
    here = await here.after(token);
  }
}

/** Rules out, in place, what is not to be chosen: all that is special (but the end), times, and signs that are no speech. */
function silence(logits: Float32Array, vocabulary: Vocabulary, atBeginning: boolean): void {
  logits.fill(Number.NEGATIVE_INFINITY, vocabulary.endOfText + 1);
  for (const token of vocabulary.suppressed) logits[token] = Number.NEGATIVE_INFINITY;
  if (!atBeginning) return;
  for (const token of vocabulary.suppressedFirst) logits[token] = Number.NEGATIVE_INFINITY;
}

// What a person says five times over is said in other words by the third; a stuck model goes on to the end.
const SHORT_LOOP = { longest: 4, times: 8 };
const LONG_LOOP = { longest: 32, times: 4 };

/** Whether the tokens end in the same few, over and over. */
function isLooping(spoken: readonly Spoken[]): boolean {
  const at = (fromEnd: number) => spoken[spoken.length - 1 - fromEnd]?.token;
  for (let period = 1; period <= LONG_LOOP.longest; period++) {
    const { times } = period <= SHORT_LOOP.longest ? SHORT_LOOP : LONG_LOOP;
    let same = 0;
    const needed = period * (times - 1);
    if (spoken.length < period * times) continue;
    while (same < needed && at(same) === at(same + period)) same++;
    if (same === needed) return true;
  }
  return false;
}

function likeliest(logits: Float32Array): number {
  let best = 0;
  for (let i = 1; i < logits.length; i++) if (logits[i]! > logits[best]!) best = i;
  return best;
}

/** The token at which the softmax, added up, passes `chance` (0..1). */
function drawn(logits: Float32Array, temperature: number, chance: number): number {
  const warm = logits.map((logit) => logit / temperature);
  const sum = logSumExp(warm);
  let left = chance;
  for (let i = 0; i < warm.length; i++) {
    left -= Math.exp(warm[i]! - sum);
    if (left < 0) return i;
  }
  return likeliest(logits);
}

function logSumExp(logits: Float32Array): number {
  let highest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < logits.length; i++) if (logits[i]! > highest) highest = logits[i]!;
  let sum = 0;
  for (let i = 0; i < logits.length; i++) sum += Math.exp(logits[i]! - highest);
  return highest + Math.log(sum);
}
