import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { RecognizerFailed, type Segment, type Window, type Word } from '../../../ml/speech/recognizer.ts';

const Seconds = Type.Number({ minimum: 0, maximum: 1e6 });
const Text = Type.String({ maxLength: 1_000_000 });
const Answer = Type.Object({
  text: Text,
  language: Type.Optional(Type.Union([Type.String({ maxLength: 64 }), Type.Null()])),
  segments: Type.Optional(
    Type.Union([Type.Array(Type.Object({ start: Seconds, end: Seconds, text: Text })), Type.Null()]),
  ),
  words: Type.Optional(
    Type.Union([Type.Array(Type.Object({ start: Seconds, end: Seconds, word: Text })), Type.Null()]),
  ),
});

/**
 * The segments that a provider's answer holds: with times where it tells them (`verbose_json`), else its whole text as
 * one segment of the window. A text that is no JSON is what was said. Throws `RecognizerFailed` for what is none of it.
 */
export function segmentsOf(body: string, window: Window, told: string | undefined): Segment[] {
  const answer = parsed(body);
  if (!Value.Check(Answer, answer))
    throw new RecognizerFailed('The provider answered with something else than a text.');
  const language = isoCode(answer.language) ?? told;
  const timed = answer.segments ?? [];
  const at = (seconds: number) => Math.min(window.end, window.start + seconds);
  const words = (answer.words ?? []).map(({ word, start, end }) => ({
    text: word.trim(),
    start: at(start),
    end: at(end),
  }));
  const segments =
    timed.length > 0
      ? timed.map(({ start, end, text }) => ({ text: text.trim(), start: at(start), end: at(Math.max(start, end)) }))
      : [{ text: answer.text.trim(), start: window.start, end: window.end }];
  return shared(
    segments.filter(({ text }) => text !== ''),
    words.filter(({ text }) => text !== ''),
  ).map((segment) => ({ ...segment, ...(language !== undefined && { language }) }));
}

function parsed(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'string' ? { text: value } : value;
  } catch {
    // A page of HTML is an error of something in between.
    if (/^\s*</.test(body)) return undefined;
    return { text: body };
  }
}

/** Gives each word to the segment in which its middle lies, or else to the nearest one before. */
function shared(segments: readonly Segment[], words: readonly Word[]): Segment[] {
  if (words.length === 0) return [...segments];
  const own: Word[][] = segments.map(() => []);
  for (const word of words) {
    const middle = (word.start + word.end) / 2;
    const index = segments.findLastIndex(({ start }) => start <= middle);
    own[Math.max(0, index)]?.push(word);
  }
  return segments.map((segment, i) => ({ ...segment, ...(own[i]!.length > 0 && { words: own[i]! }) }));
}

/** Some say `ru`, some say `russian`. */
function isoCode(language: string | null | undefined): string | undefined {
  const said = language?.trim().toLowerCase() ?? '';
  return /^[a-z]{2}$/.test(said) ? said : CODES.get(said);
}

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const CODES: ReadonlyMap<string, string> = (() => {
  const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  const codes = LETTERS.flatMap((a) => LETTERS.map((b) => a + b));
  return new Map(codes.flatMap((code) => (names.of(code) ? [[names.of(code)!.toLowerCase(), code] as const] : [])));
})();
