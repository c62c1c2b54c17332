import type { Value } from '../../extraction.ts';
import type { ColumnSpec } from '../../schema/schema.ts';
import { readValue } from '../../schema/values.ts';
import { joinText } from '../fields/page-tokens.ts';
import type { FormDocument, FormToken } from './form-document.ts';

export interface ParsedRun {
  readonly tokens: readonly FormToken[];
  readonly value: Value;
}

const NUMBER = /^\W*\d/u;
/** Also behind a sign: `h2,60`. */
export const SIGNED_NUMBER = /^\W*[a-z]{0,2}\W?\d/iu;

/** The tokens of each number; digits after a thousands separator are a token of their own. */
export function numberRuns({ lines, em }: Pick<FormDocument, 'lines' | 'em'>, number = NUMBER): FormToken[][] {
  return lines.flatMap((line) => {
    const numbers = line.filter(({ text }) => number.test(text));
    const grouped = line.flatMap((token, i) => {
      const next = line[i + 1];
      const isGroup = next && /^\W*\d{1,3}$/u.test(token.text) && /^\d{3}(?!\d)/u.test(next.text);
      return isGroup && next.x0 - token.x1 < 0.8 * em ? [[token, next]] : [];
    });
    return [...numbers.map((token) => [token]), ...grouped];
  });
}

const SIGN = /^\p{L}{1,2}[=:]?(?=\d)/u;

export function parseRuns(runs: readonly FormToken[][], spec: ColumnSpec): ParsedRun[] {
  return runs.flatMap((tokens) => {
    const read = readValue(spec, joinText(tokens).replace(SIGN, ''));
    return read ? [{ tokens, value: read.value }] : [];
  });
}
