import type { Rectangle } from './binarize.ts';
import type { GrayImage } from './grayscale.ts';
import type { WordReader } from './word-reader.ts';

/** A word, in pixels of the line image. */
export interface LineWord extends Rectangle {
  readonly text: string;
  readonly confidence: number;
}

/** The lines took longer than a page of text can. */
export class OcrTimeout extends Error {
  override readonly name = 'OcrTimeout';

  constructor(lines: number) {
    super(`OCR of ${lines} lines timed out.`);
  }
}

/** Recognizes line images; concurrent calls queue. Throws {@link OcrTimeout}. */
export type Recognize = (lines: readonly GrayImage[], signal: AbortSignal) => Promise<LineWord[][]>;

/** Recognizes text. */
export interface TextEngine {
  /** Program and languages. */
  readonly name: string;
  /** In all its languages. */
  readonly recognize: Recognize;
  /** In English only; absent without the English model. */
  readonly recognizeEnglish?: Recognize;
  close(): Promise<void>;
}

/** Recognizes text, and words a second time. */
export interface OcrEngine extends Omit<TextEngine, 'close'> {
  /** Reads images of one word each. */
  readonly readWords: WordReader['read'];
}

/** Two words without a space between them. */
export const joinWords = (a: LineWord, b: LineWord): LineWord => ({
  text: a.text + b.text,
  left: Math.min(a.left, b.left),
  top: Math.min(a.top, b.top),
  right: Math.max(a.right, b.right),
  bottom: Math.max(a.bottom, b.bottom),
  confidence: Math.min(a.confidence, b.confidence),
});

/** Mean confidence, weighted by word length; 0 without words. */
export function meanConfidence(words: readonly LineWord[]): number {
  let sum = 0;
  let letters = 0;
  for (const { text, confidence } of words) {
    sum += text.length * confidence;
    letters += text.length;
  }
  return letters === 0 ? 0 : sum / letters;
}
