import { paragraphs } from '../../../ui/browser/paragraphs.ts';
import type { RecordedSegment, TimedWord } from '../result.ts';

/** Words with a lower confidence are marked. Chosen: the shipped model is right about most words above it. */
const DOUBTFUL_CONFIDENCE = 0.5;

export interface RowWord extends TimedWord {
  /** In the `words` of the original. */
  readonly index?: number;
}

/** Half of the precision of times. */
const EDGE_SECONDS = 0.0005;

/** A segment and the words that were recognized in its time, which its text may no longer have. */
export interface Row {
  readonly segment: RecordedSegment;
  readonly words: readonly RowWord[];
}

export const rowsOf = (segments: readonly RecordedSegment[], words: readonly RowWord[] = []): Row[] =>
  paragraphs(segments, words).map(({ segment, parts }, i) =>
    rowOf(segment, parts[0] === segment ? [] : parts, segments[i]!.confirmed),
  );

type Original = { readonly segments: readonly RecordedSegment[]; readonly words?: readonly RowWord[] };

/** The words in their order, each with a time within its segment: its middle, or the nearest edge. */
export const placedInSegments = ({
  segments,
  words: all,
}: Original): { readonly word: RowWord; readonly at: number }[] =>
  rowsOf(segments, all).flatMap(({ segment: { start, end }, words }) => {
    // Words may be outside their segment. The neighbours may begin and end at its edges.
    const margin = Math.min(EDGE_SECONDS, (end - start) / 2);
    return words.map((word) => ({ word, at: Math.min(Math.max(middleOf(word), start + margin), end - margin) }));
  });

/** Without the words of removed segments, which would be assigned to the segments before. Single pass. */
export function keptWords(original: Original, segments: readonly RecordedSegment[]): RowWord[] {
  let [next, coveredUntil] = [0, Number.NEGATIVE_INFINITY];
  const kept = placedInSegments(original).filter(({ at }) => {
    for (; next < segments.length && segments[next]!.start <= at; next++)
      coveredUntil = Math.max(coveredUntil, segments[next]!.end);
    return at <= coveredUntil;
  });
  return kept.map(({ word }) => word);
}

/** The words of the text. Edited ones are one part without confidence; without any word, the segment is the part. */
export function partsOf({ segment, words }: Row): readonly RowWord[] {
  if (withoutSpaces(words.map(({ text }) => text).join('')) === withoutSpaces(segment.text)) return words;
  const texts = normalize(segment.text).split(' ');
  const common = Math.min(texts.length, words.length);
  let [before, after] = [0, 0];
  while (before < common && texts[before] === words[before]!.text) before++;
  while (after < common - before && texts.at(-1 - after) === words.at(-1 - after)!.text) after++;
  if (before + after === 0) return [segment];
  const kept = [words.slice(0, before), words.slice(words.length - after)] as const;
  const text = texts.slice(before, texts.length - after).join(' ');
  const [start, end] = [kept[0].at(-1)?.end ?? segment.start, kept[1][0]?.start ?? segment.end];
  return [...kept[0], ...(text === '' ? [] : [{ start, end, text }]), ...kept[1]];
}

/** Whether the word has a low confidence and is not confirmed. */
export const isDoubtful = ({ segment }: Row, { confidence, index }: RowWord): boolean =>
  confidence !== undefined &&
  confidence < DOUBTFUL_CONFIDENCE &&
  (index === undefined || segment.confirmed?.includes(index) !== true);

/** Without the mark of a word with a low confidence. */
export const confirmWord = (row: Row, { index }: RowWord): Row =>
  rowOf(row.segment, row.words, [...(row.segment.confirmed ?? []), ...(index === undefined ? [] : [index])]);

/** With the confirmations of words that the row has. */
function rowOf(
  { start, end, text }: RecordedSegment,
  words: readonly RowWord[],
  confirmed: readonly number[] = [],
): Row {
  const known = new Set(words.map(({ index }) => index));
  const kept = [...new Set(confirmed)].filter((index) => known.has(index)).sort((a, b) => a - b);
  return { segment: { start, end, text, ...(kept.length > 0 && { confirmed: kept }) }, words };
}

/**
 * At the boundary between words nearest to `offset`, so that merging with a space restores the text; without a separator, at
 * `offset`. Undefined if one side would be empty. The time is that of the word, or else proportional to the text.
 */
export function splitRow({ segment, words }: Row, offset: number, separator: string): readonly [Row, Row] | undefined {
  const boundary = separator === '' ? offset : nearestBoundary(segment.text, offset);
  const texts = [normalize(segment.text.slice(0, boundary)), normalize(segment.text.slice(boundary))] as const;
  if (texts.includes('')) return undefined;
  const at = toMilliseconds(timeAt({ segment, words }, boundary));
  const { start, end, confirmed } = segment;
  const isBefore = (word: TimedWord) => middleOf(word) < at;
  const wordsAfter = words.filter((word) => !isBefore(word));
  return [
    rowOf({ start, end: at, text: texts[0] }, words.filter(isBefore), confirmed),
    rowOf({ start: at, end, text: texts[1] }, wordsAfter, confirmed),
  ];
}

/** Of the word at `offset`; not an end of the text if the word has another boundary. */
function nearestBoundary(text: string, offset: number): number {
  const isInWord = (at: number) => /\S/.test(text[at] ?? ' ');
  if (!isInWord(offset - 1) || !isInWord(offset)) return offset;
  let [start, end] = [offset, offset];
  while (isInWord(start - 1)) start--;
  while (isInWord(end)) end++;
  if (text.slice(0, start).trim() === '') return end;
  return text.slice(end).trim() !== '' && end - offset < offset - start ? end : start;
}

export const mergeRows = (first: Row, second: Row, separator: string): Row =>
  rowOf(
    {
      start: first.segment.start,
      end: Math.max(first.segment.end, second.segment.end),
      text: normalize(`${first.segment.text}${separator}${second.segment.text}`),
    },
    [...first.words, ...second.words],
    [...(first.segment.confirmed ?? []), ...(second.segment.confirmed ?? [])],
  );

/** When the character at `offset` is spoken. */
export function timeAt(row: Row, offset: number): number {
  const { start, end, text } = row.segment;
  const parts = partsOf(row);
  const before = withoutSpaces(text.slice(0, offset)).length;
  let length = 0;
  const part = parts.find((each) => {
    length += withoutSpaces(each.text).length;
    return length > before;
  });
  const time =
    parts.length > 1 && part
      ? startWithin(part, row.words.includes(part) ? 0 : before - length + withoutSpaces(part.text).length)
      : start + ((end - start) * offset) / Math.max(1, text.length);
  // Words may begin before their segment.
  return Math.min(end, Math.max(start, time));
}

/** When the character at `offset` of a part is spoken, spaces not counted. */
const startWithin = ({ start, end, text }: TimedWord, offset: number): number =>
  start + ((end - start) * offset) / Math.max(1, withoutSpaces(text).length);

export const normalize = (text: string): string => text.replace(/\s+/g, ' ').trim();

const withoutSpaces = (text: string) => text.replace(/\s+/g, '');
const middleOf = ({ start, end }: TimedWord) => (start + end) / 2;
const toMilliseconds = (seconds: number) => Math.round(seconds * 1000) / 1000;
