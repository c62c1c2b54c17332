import { type Candidate, candidate } from './candidates.ts';
import { type LabelBook, likeness, type Target } from './labels.ts';
import type { Occurrence } from './occurrences.ts';
import { type Layout, placesOf } from './places.ts';
import { type Token, textOf } from './sheet.ts';

/**
 * Two fields that one label asks for and one value answers: `Этаж / этажность`, `4/9`; `Материал стен; перекрытий`.
 * What the second label leaves out is taken from the first: `Площадь общая / жилая`.
 */
export function sharedValues(layout: Layout, book: LabelBook<Target>): Candidate[] {
  return [...layout.blocks].flatMap((block) => {
    const labels = layout.labels.get(block) ?? [];
    return labels.flatMap((first) => {
      const second = secondOf(first, labels, book);
      if (first.target.kind !== 'field' || !second) return [];
      const stops = (other: Occurrence) => other.from >= second.to || other.block !== block;
      for (const { place, tokens } of placesOf(second, layout, { long: true, stops })) {
        const halves = split(tokens);
        if (!halves) continue;
        const pair = [first, second].map((label, i) =>
          label.target.kind === 'field'
            ? candidate(label.target.key, label.target.spec, { ...label, score: 1.1 * label.score }, place, halves[i]!)
            : undefined,
        );
        if (pair.every((one) => one !== undefined)) return pair as Candidate[];
      }
      return [];
    });
  });
}

/** The label behind the mark that follows `first`, read with the words of `first` where it has too few of its own. */
function secondOf(first: Occurrence, labels: readonly Occurrence[], book: LabelBook<Target>): Occurrence | undefined {
  const { block } = first;
  const tokens = block.tokens;
  const last = tokens[first.to - 1]!;
  const after = tokens[first.to];
  const from = /[;/,]$/u.test(last.text) ? first.to : after && /^[/;]$/u.test(after.text) ? first.to + 1 : undefined;
  const start = from === undefined ? undefined : tokens[from];
  if (from === undefined || !start || first.target.kind !== 'field') return undefined;
  const own = labels.find((one) => one.from === from && one.target.kind === 'field' && one.score > 0.85);
  if (own) return own;
  const tail = tokens.slice(from, from + 2);
  const head = tokens.slice(first.from, first.to);
  const firstKey = first.target.key;
  let best: Occurrence | undefined;
  for (const [i] of tail.entries()) {
    const words = [...head.slice(0, 1), ...tail.slice(0, i + 1)].flatMap(({ text }) => book.word(text) ?? []);
    for (const phrase of book.phrases) {
      if (phrase.to.kind !== 'field' || phrase.to.key === firstKey) continue;
      const score = likeness(words, phrase);
      if (score > (best?.score ?? 0.75)) best = { block, from, to: from + i + 1, target: phrase.to, score };
    }
  }
  return best;
}

/** The two parts of a value, on both sides of its only mark. */
function split(tokens: readonly Token[]): [Token[], Token[]] | undefined {
  if (!/[/;]/u.test(textOf(tokens))) return undefined;
  const pieces = tokens.flatMap((token): Token[] => {
    const at = token.text.search(/[/;]/u);
    if (at < 0 || token.text.length === 1) return [token];
    const each = (token.x1 - token.x0) / token.text.length;
    const cut = [
      { ...token, text: token.text.slice(0, at), x1: token.x0 + each * at },
      { ...token, text: token.text[at]!, x0: token.x0 + each * at, x1: token.x0 + each * (at + 1), glued: true },
      { ...token, text: token.text.slice(at + 1), x0: token.x0 + each * (at + 1), glued: true },
    ];
    return cut.filter(({ text }) => text !== '');
  });
  const marks = pieces.filter(({ text }) => /^[/;]$/u.test(text));
  const at = pieces.findIndex(({ text }) => /^[/;]$/u.test(text));
  if (marks.length !== 1 || at <= 0 || at === pieces.length - 1) return undefined;
  return [pieces.slice(0, at), pieces.slice(at + 1)];
}
