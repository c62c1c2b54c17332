import type { Field } from '../../extraction.ts';
import { toPageBox } from '../../page-geometry.ts';
import { boundingBox, joinText, type Token } from './page-tokens.ts';

/** Creates a field that was read from `tokens`. */
export function createField(tokens: readonly Token[], value: Field['value'], confidence: number): Field {
  const { sheet } = tokens[0]!;
  const { x0, y0, x1, y1 } = boundingBox(tokens.filter((token) => token.sheet === sheet));
  const { page } = sheet;
  return {
    value,
    confidence: Math.round(100 * confidence) / 100,
    source: page.reader === 'text' ? 'text' : 'ocr',
    page: page.page,
    bbox: toPageBox(page, [x0 / sheet.width, y0 / sheet.height, x1 / sheet.width, y1 / sheet.height]),
    text: joinText(tokens),
  };
}

/** A score from 0 to 1, lowered by doubtful OCR. */
export function lowerByOcr(score: number, tokens: readonly Token[]): number {
  const lowest = Math.min(1, ...tokens.flatMap(({ confidence }) => confidence ?? []));
  return Math.min(1, score) * Math.min(1, lowest / SURE_OCR);
}

/** Tesseract rarely reports more for words that it reads right. */
const SURE_OCR = 0.92;
