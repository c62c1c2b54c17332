import type { FastifyInstance } from 'fastify';
import { Fault } from '../base/faults.ts';

/** What JSON texts may come to in memory, whatever they weigh as text: `[],[],[],` takes many times its bytes. */
export interface JsonBounds {
  /** Members and elements of all texts together; the name of a member counts as one of its own. */
  readonly values: number;
  /** Arrays and objects within one another. */
  readonly depth: number;
}

/** A thousand records with five hundred attributes each, and their names; nothing that is read here is ten levels deep. */
export const JSON_BOUNDS: JsonBounds = { values: 1_200_000, depth: 100 };

const tooHeavy = (excess: keyof JsonBounds, bounds: JsonBounds): Fault =>
  new Fault(
    'PAYLOAD_TOO_LARGE',
    413,
    excess === 'values'
      ? `The JSON has more than ${bounds.values} values.`
      : `The JSON is nested deeper than ${bounds.depth} levels.`,
  );

/** Reads the JSON bodies of this scope as Fastify does, but none that is too heavy; that is told before it is parsed. */
export function refuseHeavyJson(scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('error', 'error');
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, given, done) => {
    const bytes = given as Buffer;
    try {
      jsonScales(JSON_BOUNDS)(bytes);
    } catch (fault) {
      return done(fault as Fault);
    }
    void parse(request, bytes.toString('utf8'), done);
  });
}

/**
 * A function that is shown JSON texts in UTF-8, one after the other, and throws a refusal at the first place where they
 * go beyond `bounds`. It looks at the bytes and makes nothing of them; what is no JSON is judged as if it were.
 */
export function jsonScales(bounds: JsonBounds): (text: Uint8Array) => void {
  let values = 0;
  const count = () => {
    if (++values > bounds.values) throw tooHeavy('values', bounds);
  };
  return (text) => {
    let depth = 0;
    // The text as a whole is one value, and each of these signs comes before one more.
    count();
    for (let at = 0; at < text.length; at++) {
      const sign = text[at]!;
      if (sign === QUOTE) at = endOfString(text, at + 1);
      else if (sign === COMMA || sign === COLON) count();
      else if (sign === OPEN_BRACKET || sign === OPEN_BRACE) {
        count();
        if (++depth > bounds.depth) throw tooHeavy('depth', bounds);
      } else if (sign === CLOSE_BRACKET || sign === CLOSE_BRACE) depth--;
    }
  };
}

/** Where the quote is that ends a string; no byte of a longer character in UTF-8 looks like one. */
function endOfString(text: Uint8Array, from: number): number {
  let at = from;
  for (; at < text.length && text[at] !== QUOTE; at++) if (text[at] === BACKSLASH) at++;
  return at;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];
