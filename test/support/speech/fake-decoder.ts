import type { DecoderState } from '../../../src/ml/speech/whisper/network.ts';
import type { Vocabulary } from '../../../src/ml/speech/whisper/vocabulary.ts';

export const LETTERS: Vocabulary = {
  startOfTranscript: 27,
  endOfText: 26,
  transcribe: 28,
  translate: 24,
  noTimestamps: 29,
  noSpeech: 30,
  languages: new Map([
    ['en', 31],
    ['ru', 32],
  ]),
  suppressed: [25],
  suppressedFirst: [26],
  alignmentHeads: [],
  text: (tokens) => tokens.map((token) => String.fromCharCode(97 + token)).join(''),
  encode: (text) => [...text.trim().toLowerCase()].map((letter) => letter.charCodeAt(0) - 97),
};

const SIZE = 33;
const ATTENTION = [new Float32Array(1500)];

export function logitsFor(token: number, probability: number): Float32Array {
  const logits = new Float32Array(SIZE).fill(Math.log((1 - probability) / (SIZE - 1)));
  logits[token] = Math.log(probability);
  return logits;
}

/** A fake decoder that predicts `next` from its text so far, and the recorded token sequences. */
export function fakeDecoder(next: (text: readonly number[]) => Float32Array): {
  encoded: DecoderState;
  steps: number[][];
} {
  const steps: number[][] = [];
  const after = (tokens: readonly number[]): DecoderState => ({
    // The first three tokens (language, task, timestamps) are not text.
    logits: Float32Array.from(next(tokens.slice(3))),
    attention: ATTENTION,
    async step(token, length = tokens.length + 1) {
      // The first of `length` tokens is the start.
      const now = [...tokens.slice(0, length - 1), token];
      steps.push(now);
      return after(now);
    },
  });
  return { encoded: after([]), steps };
}
