import { schemaPattern } from '../../schema/pattern.ts';
import type { PartSpec } from '../../schema/schema.ts';
import { adjacentCell, findCell, groupLines } from '../fields/blocks.ts';
import { type Area, isInside, joinText, type Token } from '../fields/page-tokens.ts';
import { CLASSES } from './classes.ts';
import type { PageReading } from './page-reading.ts';
import type { ReadValue } from './read-values.ts';

const PART_CLASSES = CLASSES.filter((name) => name.startsWith('address.'));
/** `ул.`, `пр-кт`, `село`; with a capital it is the label of a form, and a single letter is a code. */
const KIND = /^(?!\p{L}$)(?:\p{Ll}[\p{Ll}-]*\.?|\p{Lu}[\p{Lu}-]*\.?)$/u;
const MAX_WORDS = 5;
/** Of a page; each takes a search for the words of its cells. */
const MAX_KINDS = 50;
/** Chosen. Of one word, for any part of an address. */
const MIN_PROBABILITY = 0.3;

/** A part of an address whose kind, such as `пер.`, is alone in a ruled cell; its name is in the next cell, right of it or below. */
export function readKindCell(
  { tokens, probabilityOf }: PageReading,
  { write, unless }: PartSpec,
): ReadValue | undefined {
  const isKind = unless === undefined ? undefined : schemaPattern(unless, 'iu');
  const [first] = tokens;
  if (!isKind || !first || !write.endsWith('{}')) return undefined;
  const { sheet } = first;
  const usual = write.replace('{}', '').replace(/[^\p{L}]/gu, '');
  const wordsOf = (cell: Area) => groupLines(tokens.filter((token) => isInside(cell, token))).flat();
  const isKindOnly = (words: readonly Token[]) =>
    words.length === 1 && KIND.test(words[0]!.text) && isKind.test(`${words[0]!.text} `);
  const nameBeside = (cell: Area): Token[] => {
    for (const side of ['right', 'below'] as const) {
      const next = adjacentCell(cell, side, sheet);
      const words = next ? wordsOf(next) : [];
      if (words.length <= MAX_WORDS && isName(joinText(words)) && !isKindOnly(words)) return words;
    }
    return [];
  };
  const probability = (token: Token) =>
    PART_CLASSES.reduce((sum, name) => sum + probabilityOf(tokens.indexOf(token), name), 0);
  const kinds = tokens.filter((token) => isKindOnly([token])).slice(0, MAX_KINDS);
  const found = kinds.flatMap((kind): ReadValue[] => {
    const cell = findCell(kind, sheet);
    const name = cell && wordsOf(cell).length === 1 ? nameBeside(cell) : [];
    const words = [kind, ...name];
    const probabilities = words.map(probability);
    if (name.length === 0 || Math.max(...probabilities) < MIN_PROBABILITY) return [];
    return [
      {
        tokens: words,
        value: kind.text.toLowerCase().startsWith(usual) ? joinText(name) : `${kind.text} ${joinText(name)}`,
        score: probabilities.reduce((sum, one) => sum + one, 0) / words.length,
        lowest: Math.min(...probabilities),
      },
    ];
  });
  return found.sort((a, b) => b.score - a.score)[0];
}

const isName = (text: string): boolean => /\p{Lu}/u.test(text) && !/[:;,]/u.test(text);
