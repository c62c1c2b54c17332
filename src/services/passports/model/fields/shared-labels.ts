import { type Candidate, createCandidate } from './candidates.ts';
import type { Occurrence } from './label-finder.ts';
import { type LabelIndex, scorePhrase, type Target } from './label-index.ts';
import { joinText, type Token } from './page-tokens.ts';
import { findValuePositions, type Layout } from './value-positions.ts';

/** Finds two fields with a combined label and value: `Этаж / этажность`, `4/9`; `Площадь общая / жилая`. */
export function findSharedValues(layout: Layout, labelIndex: LabelIndex<Target>): Candidate[] {
  return [...layout.labels].flatMap(([block, labels]) =>
    labels.flatMap((first) => {
      const second = findSecondLabel(first, labels, labelIndex);
      if (first.target.kind !== 'field' || !second) return [];
      const stops = (other: Occurrence) => other.from >= second.to || other.block !== block;
      for (const { place, tokens } of findValuePositions(second, layout, { long: true, stops })) {
        const halves = split(tokens);
        if (!halves) continue;
        const pair = [first, second].map((label, i) =>
          label.target.kind === 'field'
            ? createCandidate(
                label.target.key,
                label.target.spec,
                { ...label, score: 1.1 * label.score },
                place,
                halves[i]!,
              )
            : undefined,
        );
        if (pair.every((one) => one !== undefined)) return pair as Candidate[];
      }
      return [];
    }),
  );
}

/** Finds the second label, which may omit words of the first. */
function findSecondLabel(
  first: Occurrence,
  labels: readonly Occurrence[],
  labelIndex: LabelIndex<Target>,
): Occurrence | undefined {
  const { block } = first;
  const tokens = block.tokens;
  const last = tokens[first.to - 1]!;
  const after = tokens[first.to];
  const from = /[;/,]$/u.test(last.text) ? first.to : after && /^[/;]$/u.test(after.text) ? first.to + 1 : undefined;
  const start = from === undefined ? undefined : tokens[from];
  if (from === undefined || !start || first.target.kind !== 'field') return undefined;
  const firstKey = first.target.key;
  // A label in two languages is one field.
  const complete = labels.find(
    ({ from: begin, target, score }) =>
      begin === from && target.kind === 'field' && target.key !== firstKey && score > 0.85,
  );
  if (complete) return complete;
  const tail = tokens.slice(from, from + 2);
  const head = tokens.slice(first.from, first.to);
  let best: Occurrence | undefined;
  for (const [i] of tail.entries()) {
    const words = [...head.slice(0, 1), ...tail.slice(0, i + 1)].flatMap(({ text }) => labelIndex.lookUp(text) ?? []);
    for (const phrase of labelIndex.phrases) {
      if (phrase.target.kind !== 'field' || phrase.target.key === firstKey) continue;
      const score = scorePhrase(words, phrase);
      if (score > (best?.score ?? 0.75)) best = { block, from, to: from + i + 1, target: phrase.target, score };
    }
  }
  return best;
}

function split(tokens: readonly Token[]): [Token[], Token[]] | undefined {
  if (!/[/;]/u.test(joinText(tokens))) return undefined;
  const pieces = tokens.flatMap((token): Token[] => {
    const at = token.text.search(/[/;]/u);
    if (at < 0 || token.text.length === 1) return [token];
    const charWidth = (token.x1 - token.x0) / token.text.length;
    const parts = [
      { ...token, text: token.text.slice(0, at), x1: token.x0 + charWidth * at },
      {
        ...token,
        text: token.text[at]!,
        x0: token.x0 + charWidth * at,
        x1: token.x0 + charWidth * (at + 1),
        glued: true,
      },
      { ...token, text: token.text.slice(at + 1), x0: token.x0 + charWidth * (at + 1), glued: true },
    ];
    return parts.filter(({ text }) => text !== '');
  });
  const separators = pieces.filter(({ text }) => /^[/;]$/u.test(text));
  const at = pieces.findIndex(({ text }) => /^[/;]$/u.test(text));
  if (separators.length !== 1 || at <= 0 || at === pieces.length - 1) return undefined;
  return [pieces.slice(0, at), pieces.slice(at + 1)];
}
