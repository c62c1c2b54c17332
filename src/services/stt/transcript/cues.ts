import { spaceOf } from '../languages.ts';
import type { Recorded, RecordedSegment, TimedWord } from '../result.ts';

/** What stands on the screen at one time: one or two lines. */
export interface Cue {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

// What a reader takes in at a glance: the limits that broadcasters and streaming services give their subtitlers.
const LINE_CHARS = 42;
const LINES = 2;
const LONGEST_SECONDS = 7;
/** After so long a pause the next word begins a cue of its own. */
const PAUSE_SECONDS = 1;

/**
 * The transcript as subtitles: at most two lines of 42 characters and 7 seconds each, divided between words, and where
 * a segment or a sentence ends if that is near. Words without times get theirs by their length.
 */
export function cuesOf({ segments, words, language }: Pick<Recorded, 'segments' | 'words' | 'language'>): Cue[] {
  const space = spaceOf(language);
  const own = wordsOfEach(segments, words ?? []);
  const cues = segments.flatMap((segment, index) => cuesOfSegment(tokensOf(segment, own[index]!, space), space));
  // One after the other: players show cues that overlap on top of each other.
  return cues.map((cue, index) => {
    const until = cues[index + 1]?.start ?? Number.POSITIVE_INFINITY;
    return cue.end > until && until > cue.start ? { ...cue, end: until } : cue;
  });
}

/** A word, or a part of one that no line can hold. */
interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function cuesOfSegment(tokens: readonly Token[], space: string): Cue[] {
  const cues: Cue[] = [];
  let held: Token[] = [];
  const flush = () => {
    if (held.length > 0) cues.push(cueOf(held, space));
    held = [];
  };
  for (const token of tokens) {
    const last = held.at(-1);
    const first = held[0];
    if (first && last) {
      const late = token.end - first.start > LONGEST_SECONDS || token.start - last.end >= PAUSE_SECONDS;
      const sentence = /[.!?…。！？]["»”’)]*$/.test(last.text) && textOf(held, space).length > LINE_CHARS;
      if (late || sentence || !fits([...held, token], space)) flush();
    }
    held.push(token);
  }
  flush();
  return cues;
}

function cueOf(tokens: readonly Token[], space: string): Cue {
  const start = tokens[0]!.start;
  const end = Math.min(Math.max(tokens.at(-1)!.end, start + 0.001), start + LONGEST_SECONDS);
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
  return lines <= LINES;
}

/** One line, or two of about the same length. */
function linesOf(tokens: readonly Token[], space: string): string[] {
  const whole = textOf(tokens, space);
  if (whole.length <= LINE_CHARS) return [whole];
  const divisions = tokens.slice(1).map((_, index) => {
    const lines = [textOf(tokens.slice(0, index + 1), space), textOf(tokens.slice(index + 1), space)];
    return { lines, longest: Math.max(...lines.map((line) => line.length)) };
  });
  return divisions.reduce((best, each) => (each.longest < best.longest ? each : best)).lines;
}

/** The words of a segment with their times, or else its text with times by length. */
const tokensOf = (segment: RecordedSegment, words: readonly TimedWord[], space: string): Token[] =>
  (words.length > 0 ? words : timedByLength(segment, space)).flatMap(divided);

/**
 * Each word goes to the segment that has begun by its middle: its edges may touch the neighbours', and one that took no
 * time may lie on the edge itself. None is left out. One pass, for there are many.
 */
function wordsOfEach(segments: readonly RecordedSegment[], words: readonly TimedWord[]): TimedWord[][] {
  let at = 0;
  return segments.map((_, index) => {
    const until = segments[index + 1]?.start ?? Number.POSITIVE_INFINITY;
    const own: TimedWord[] = [];
    for (; at < words.length && (words[at]!.start + words[at]!.end) / 2 < until; at++) own.push(words[at]!);
    return own;
  });
}

function timedByLength({ text, start, end }: RecordedSegment, space: string): Token[] {
  const parts = space === '' ? graphemes(text.replace(/\s+/g, '')) : text.split(/\s+/).filter((part) => part !== '');
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  let at = start;
  return parts.map((part) => {
    const from = at;
    at += ((end - start) * part.length) / total;
    return { text: part, start: from, end: at };
  });
}

/** A word that is longer than a line, in pieces that are not. */
function divided(token: Token): Token[] {
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
  const found: string[] = [];
  for (let at = 0; at < text.length; ) {
    const parts = Array.from(SEGMENTER.segment(text.slice(at, at + SEGMENTED_CHARS)), ({ segment }) => segment);
    // The last one may go on behind the piece.
    if (at + SEGMENTED_CHARS < text.length && parts.length > 1) parts.pop();
    for (const part of parts) at += part.length;
    found.push(...parts);
  }
  return found;
}

const SEGMENTER = new Intl.Segmenter();
/** Piece by piece: the segmenter of Node 20 takes quadratic time, 0.3 s for 32 000 characters (measured). */
const SEGMENTED_CHARS = 500;
