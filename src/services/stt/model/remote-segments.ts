import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { RecognizerError, type Segment, type Window, type Word } from '../../../ml/speech/recognizer.ts';

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
 * Parses a provider's response: segments with times (`verbose_json`), or else the whole text as one segment. A plain
 * text body is the transcript. Throws `RecognizerError` for other content.
 */
export function parseSegments(body: string, window: Window, requestedLanguage: string | undefined): Segment[] {
  const answer = parsed(body);
  if (!Value.Check(Answer, answer)) throw new RecognizerError('The provider returned an invalid response.');
  const language = isoCode(answer.language) ?? requestedLanguage;
  const timedSegments = answer.segments ?? [];
  const at = (seconds: number) => Math.min(window.end, window.start + seconds);
  const words = (answer.words ?? []).map(({ word, start, end }) => ({
    text: word.trim(),
    start: at(start),
    end: at(end),
  }));
  const segments =
    timedSegments.length > 0
      ? timedSegments.map(({ start, end, text }) => ({
          text: text.trim(),
          start: at(start),
          end: at(Math.max(start, end)),
        }))
      : [{ text: answer.text.trim(), start: window.start, end: window.end }];
  return withWords(
    segments.filter(({ text }) => text !== ''),
    words.filter(({ text }) => text !== ''),
  ).map((segment) => ({ ...segment, ...(language !== undefined && { language }) }));
}

function parsed(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'string' ? { text: value } : value;
  } catch {
    // An HTML error page of a proxy.
    if (/^\s*</.test(body)) return undefined;
    return { text: body };
  }
}

/** By the word's middle. */
function withWords(segments: readonly Segment[], words: readonly Word[]): Segment[] {
  if (words.length === 0) return [...segments];
  const wordsOfSegment: Word[][] = segments.map(() => []);
  for (const word of words) {
    const middle = (word.start + word.end) / 2;
    const index = segments.findLastIndex(({ start }) => start <= middle);
    wordsOfSegment[Math.max(0, index)]?.push(word);
  }
  return segments.map((segment, i) => ({
    ...segment,
    ...(wordsOfSegment[i]!.length > 0 && { words: wordsOfSegment[i]! }),
  }));
}

/** Providers return `ru` or `russian`. */
function isoCode(language: string | null | undefined): string | undefined {
  const name = language?.trim().toLowerCase() ?? '';
  return /^[a-z]{2}$/.test(name) ? name : CODES.get(name);
}

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const CODES: ReadonlyMap<string, string> = (() => {
  const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  const codes = LETTERS.flatMap((a) => LETTERS.map((b) => a + b));
  return new Map(codes.flatMap((code) => (names.of(code) ? [[names.of(code)!.toLowerCase(), code] as const] : [])));
})();
