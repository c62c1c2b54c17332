import type { FieldSpec } from '../../schema/schema.ts';
import type { Token } from '../fields/page-tokens.ts';
import { type Ends, SURE_BOND } from './value-ends.ts';

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
  readonly ends: Ends;
  readonly isText: boolean;
  /** Whether the value may be composed of parts in separate blanks: an address. */
  readonly hasParts: boolean;
}

/** The evidence for a reading, with the field that the labels lead to. */
export const evidenceOf = (
  read: Omit<Evidence, 'labels' | 'isText' | 'hasParts'> & { readonly value: unknown },
  labelled: { readonly value: unknown } | undefined,
  { type, parts }: Pick<FieldSpec, 'type' | 'parts'>,
): Evidence => ({
  ...read,
  labels: !labelled ? 'none' : String(labelled.value) === String(read.value) ? 'agree' : 'differ',
  isText: type === 'string',
  hasParts: parts !== undefined,
});

/**
 * The probability that a value is right, 0..1: logistic regression (Platt scaling with more inputs) on forms that the network
 * was not trained on; see `training/passports/calibrate.py`.
 */
export function confidenceOf(evidence: Evidence): number {
  const inputs = inputsOf(evidence);
  const sum = inputs.reduce((total, input, i) => total + input * WEIGHTS[i]!, 0);
  return 1 / (1 + Math.exp(-sum));
}

// In the order of `inputsOf`. The constant is 0.25 and the weight of OCR 0.35 below the fit, so that more of the values at 0.95
// and above are right.
const WEIGHTS = [
  0.744, 0.769, -0.195, -2.489, 0.765, -0.01, -0.736, -0.407, -0.439, 0.377, -0.473, 0.01, 0.297, -1.773,
];

/** The inputs of the logistic regression. */
export function inputsOf({ tokens, score, lowest, rival, labels, ends, isText, hasParts }: Evidence): number[] {
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
    // A number has one word: the words beside it do not show an end that was lost.
    isText ? Math.log(Math.max(MIN_BESIDE, ends.beside) / MIN_BESIDE) : 0,
    Number(ends.isLast),
    ends.bond - SURE_BOND,
    Number(hasParts),
  ];
}

const MIN_BESIDE = 0.001;

const logit = (probability: number): number => {
  const clipped = Math.min(0.999, Math.max(0.01, probability));
  return Math.log(clipped / (1 - clipped));
};
