import type { Token } from '../fields/page-tokens.ts';

/** What speaks for and against a reading of a field. */
export interface Evidence {
  readonly tokens: readonly Token[];
  /** 0..1: mean probability of the words. */
  readonly score: number;
  /** 0..1: lowest probability of a word. */
  readonly lowest: number;
  /** 0..1: score of the best reading of another value. */
  readonly rival: number;
  /** What the labels of the schema lead to: the same value, another, or none. */
  readonly labels: 'agree' | 'differ' | 'none';
  readonly isText: boolean;
}

/** The inputs of the logistic regression. */
export function inputsOf({ tokens, score, lowest, rival, labels, isText }: Evidence): number[] {
  const ocr = tokens.flatMap(({ confidence }) => confidence ?? []);
  return [
    1,
    logit(score),
    logit(lowest),
    rival,
    Number(labels === 'agree'),
    Number(labels === 'differ'),
    Number(isText),
    Math.log(tokens.length),
    Number(ocr.length > 0),
    // Tesseract rarely reports more than 0.97.
    ocr.length > 0 ? logit(Math.min(...ocr)) - logit(0.97) : 0,
  ];
}

const logit = (probability: number): number => {
  const clipped = Math.min(0.999, Math.max(0.01, probability));
  return Math.log(clipped / (1 - clipped));
};
