import { wordSeparator } from '../languages.ts';
import type { Recorded, RecordedSegment, TimedWord } from '../result.ts';

export interface Cue {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

// Common limits of broadcasters and streaming services.
const LINE_CHARS = 42;
const MAX_LINES = 2;
const MAX_SECONDS = 7;
/** A longer pause starts a new cue. */
const PAUSE_SECONDS = 1;

/**
 * Divides the transcript into subtitles of at most two lines of 42 characters and 7 s, between words and preferably at
 * the end of a segment or sentence. Words without times get times by their length.
 */
export function createCues({ segments, words, language }: Pick<Recorded, 'segments' | 'words' | 'language'>): Cue[] {
  const space = wordSeparator(language);
  const wordsOfSegment = wordsOfEach(segments, words ?? []);
  const cues = segments.flatMap((segment, index) =>
    cuesOfSegment(tokensOf(segment, wordsOfSegment[index]!, space), space),
  );
  // Players show overlapping cues on top of each other.
  return cues.map((cue, index) => {
    const until = cues[index + 1]?.start ?? Number.POSITIVE_INFINITY;
    return cue.end > until && until > cue.start ? { ...cue, end: until } : cue;
  });
}

/** A word, or a part of a word longer than a line. */
interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function cuesOfSegment(tokens: readonly Token[], space: string): Cue[] {
  const cues: Cue[] = [];
  let pending: Token[] = [];
  const flush = () => {
    if (pending.length > 0) cues.push(cueOf(pending, space));
    pending = [];
  };
  for (const token of tokens) {
    const last = pending.at(-1);
    const first = pending[0];
    if (first && last) {
      const isLate = token.end - first.start > MAX_SECONDS || token.start - last.end >= PAUSE_SECONDS;
      const endsSentence = /[.!?…。！？]["»”’)]*$/.test(last.text) && textOf(pending, space).length > LINE_CHARS;
      if (isLate || endsSentence || !fits([...pending, token], space)) flush();
    }
    pending.push(token);
  }
  flush();
  return cues;
}

function cueOf(tokens: readonly Token[], space: string): Cue {
  const start = tokens[0]!.start;
  const end = Math.min(Math.max(tokens.at(-1)!.end, start + 0.001), start + MAX_SECONDS);
  return { start, end, lines: linesOf(tokens, space) };
}

const textOf = (tokens: readonly Token[], space: string) => tokens.map(({ text }) => text).join(space);

function fits(tokens: readonly Token[], space: string): boolean {
  let [lines, length] = [1, 0];
  for (const { text } of tokens) {
    const longer = length === 0 ? text.length : length + space.length + text.length;
    if (longer <= LINE_CHARS) {
      length = longer;
      continue;
    }
    lines++;
    length = text.length;
  }
  return lines <= MAX_LINES;
}

function linesOf(tokens: readonly Token[], space: string): string[] {
  const whole = textOf(tokens, space);
  if (whole.length <= LINE_CHARS) return [whole];
  const divisions = tokens.slice(1).map((_, index) => {
    const lines = [textOf(tokens.slice(0, index + 1), space), textOf(tokens.slice(index + 1), space)];
    return { lines, longest: Math.max(...lines.map((line) => line.length)) };
  });
  return divisions.reduce((best, each) => (each.longest < best.longest ? each : best)).lines;
}

const tokensOf = (segment: RecordedSegment, words: readonly TimedWord[], space: string): Token[] =>
  (words.length > 0 ? words : timedByLength(segment, space)).flatMap(splitLongWord);

/**
 * Assigns each word to the segment that has started by its middle: words may touch the edges or have no duration.
 * Single pass, because there can be many.
 */
export function wordsOfEach(segments: readonly RecordedSegment[], words: readonly TimedWord[]): TimedWord[][] {
  let position = 0;
  return segments.map((_, index) => {
    const until = segments[index + 1]?.start ?? Number.POSITIVE_INFINITY;
    const wordsOfSegment: TimedWord[] = [];
    for (; position < words.length && (words[position]!.start + words[position]!.end) / 2 < until; position++)
      wordsOfSegment.push(words[position]!);
    return wordsOfSegment;
  });
}

function timedByLength({ text, start, end }: RecordedSegment, space: string): Token[] {
  const parts = space === '' ? graphemes(text.replace(/\s+/g, '')) : text.split(/\s+/).filter((part) => part !== '');
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  let position = start;
  return parts.map((part) => {
    const from = position;
    position += ((end - start) * part.length) / total;
    return { text: part, start: from, end: position };
  });
}

function splitLongWord(token: Token): Token[] {
  const text = token.text.trim();
  if (text === '') return [];
  if (text.length <= LINE_CHARS) return [{ ...token, text }];
  const pieces: string[] = [''];
  for (const part of graphemes(text)) {
    if ((pieces.at(-1)! + part).length > LINE_CHARS) pieces.push('');
    pieces[pieces.length - 1] += part;
  }
  const share = (token.end - token.start) / pieces.length;
  return pieces.map((piece, index) => ({
    text: piece,
    start: token.start + share * index,
    end: token.start + share * (index + 1),
  }));
}

function graphemes(text: string): string[] {
  const result: string[] = [];
  for (let position = 0; position < text.length; ) {
    const parts = Array.from(
      SEGMENTER.segment(text.slice(position, position + SEGMENTER_CHUNK_CHARS)),
      ({ segment }) => segment,
    );
    // The last grapheme may continue after the chunk.
    if (position + SEGMENTER_CHUNK_CHARS < text.length && parts.length > 1) parts.pop();
    for (const part of parts) position += part.length;
    result.push(...parts);
  }
  return result;
}

const SEGMENTER = new Intl.Segmenter();
/** The segmenter of Node 20 takes quadratic time: 0.3 s for 32,000 characters (measured). */
const SEGMENTER_CHUNK_CHARS = 500;
