import type { Field } from '../../extraction.ts';
import { toPageBox } from '../../page-geometry.ts';
import { boundingBox, joinText, type Token } from './page-tokens.ts';

/** Tesseract rarely reports more for words that it reads right. */
const SURE_OCR = 0.92;

/** Creates a field that was read from `tokens`. Its confidence is `score`, lowered by doubtful OCR. */
export function createField(tokens: readonly Token[], value: Field['value'], score: number): Field {
  const { sheet } = tokens[0]!;
  const { x0, y0, x1, y1 } = boundingBox(tokens.filter((token) => token.sheet === sheet));
  const { page } = sheet;
  const lowest = Math.min(1, ...tokens.flatMap(({ confidence }) => confidence ?? []));
  return {
    value,
    confidence: Math.round(100 * Math.min(1, score) * Math.min(1, lowest / SURE_OCR)) / 100,
    source: page.reader === 'text' ? 'text' : 'ocr',
    page: page.page,
    bbox: toPageBox(page, [x0 / sheet.width, y0 / sheet.height, x1 / sheet.width, y1 / sheet.height]),
    text: joinText(tokens),
  };
}
