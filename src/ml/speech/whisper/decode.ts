import { argmax } from '../../tensor.ts';
import { logSumExp, suppressTokens } from './logits.ts';
import { createLookAhead } from './look-ahead.ts';
import type { DecoderState } from './network.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A decoded token with its natural log-probability and its attention over the audio. */
export interface DecodedToken {
  readonly token: number;
  readonly logProbability: number;
  readonly attention: readonly Float32Array[];
  /** Of all tokens at its position; only with `keepLogits`. */
  readonly logits?: Float32Array;
}

export interface Transcript {
  readonly tokens: readonly DecodedToken[];
  readonly endLogProbability: number;
  readonly endAttention?: readonly Float32Array[];
  /** The last state of the decoder; only with `keepLogits`. */
  readonly state?: DecoderState;
  /** `end`: end token; `loop`: the model repeats itself; `length`: `most` tokens. */
  readonly stopped: 'end' | 'loop' | 'length';
}

export interface DecodingOptions {
  /** The token of the task; default: transcribe. */
  readonly task?: number | undefined;
  readonly maxTokens: number;
  /** 0 is greedy decoding with look-ahead; above 0 samples with `random`. */
  readonly temperature?: number;
  readonly random?: () => number;
  /** For `preferTerms`; takes 200 kB per token. */
  readonly keepLogits?: boolean | undefined;
  readonly throwIfStopped: () => void;
}

/** The tokens before the text: start, language, task and no timestamps. */
export const PROMPT_LENGTH = 4;

export function detectLanguage(
  { logits }: DecoderState,
  { languages }: Vocabulary,
): { language: string; probability: number } {
  const candidates = [...languages].map(([language, token]) => ({ language, logit: logits[token]! }));
  const best = candidates.reduce((a, b) => (b.logit > a.logit ? b : a));
  const sum = candidates.reduce((total, { logit }) => total + Math.exp(logit - best.logit), 0);
  return { language: best.language, probability: 1 / sum };
}

/** Probability of no speech, from the state after the first token. */
export function noSpeechProbability({ logits }: DecoderState, { noSpeech }: Vocabulary): number {
  return Math.exp(logits[noSpeech]! - logSumExp(logits));
}

export async function transcribe(
  encoded: DecoderState,
  vocabulary: Vocabulary,
  language: string,
  {
    task = vocabulary.transcribe,
    maxTokens,
    temperature = 0,
    random = Math.random,
    keepLogits = false,
    throwIfStopped,
  }: DecodingOptions,
): Promise<Transcript> {
  const tokens: DecodedToken[] = [];
  let state = encoded;
  for (const token of [vocabulary.languages.get(language)!, task, vocabulary.noTimestamps]) {
    state = await state.step(token);
  }
  const lookAhead = createLookAhead(vocabulary, throwIfStopped);
  for (;;) {
    throwIfStopped();
    const { logits } = state;
    suppressTokens(logits, vocabulary, tokens.length === 0);
    const token = temperature === 0 ? await lookAhead.choose(state) : sampleToken(logits, temperature, random());
    const logProbability = logits[token]! - logSumExp(logits);
    const { attention } = state;
    const ended = keepLogits ? { tokens, state } : { tokens };
    if (token === vocabulary.endOfText) {
      return { ...ended, endLogProbability: logProbability, endAttention: attention, stopped: 'end' };
    }
    tokens.push({ token, logProbability, attention, ...(keepLogits && { logits }) });
    if (isLooping(tokens)) return { ...ended, endLogProbability: 0, stopped: 'loop' };
    if (tokens.length === maxTokens) return { ...ended, endLogProbability: 0, stopped: 'length' };
    state = await lookAhead.step(state, token);
  }
}

// People vary their words when they repeat themselves; a stuck model does not.
const SHORT_LOOP = { longest: 4, times: 8 };
const LONG_LOOP = { longest: 32, times: 4 };

function isLooping(spoken: readonly DecodedToken[]): boolean {
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

function sampleToken(logits: Float32Array, temperature: number, chance: number): number {
  const scaled = logits.map((logit) => logit / temperature);
  const sum = logSumExp(scaled);
  let left = chance;
  for (let i = 0; i < scaled.length; i++) {
    left -= Math.exp(scaled[i]! - sum);
    if (left < 0) return i;
  }
  return argmax(logits);
}
