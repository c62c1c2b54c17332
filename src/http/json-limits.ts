import type { FastifyBodyParser, FastifyInstance } from 'fastify';
import { ApiError } from '../base/api-error.ts';

/**
 * Limits the memory of parsed JSON, which may need many times the bytes of its text (`[],[],[],`). Chosen: 1000 records with
 * 500 attributes and their names. All valid bodies have fewer than 10 levels.
 */
export const JSON_LIMITS = {
  /** Members and elements of all texts together; member names count separately. */
  values: 1_200_000,
  /** Nesting of arrays and objects. */
  depth: 100,
};
export type JsonLimits = Readonly<typeof JSON_LIMITS>;

const tooLarge = (message: string) => new ApiError('PAYLOAD_TOO_LARGE', 413, message);

/** One text is nested too deeply; others within the same limits may still be read. */
export class JsonTooDeep extends ApiError {
  constructor({ depth }: JsonLimits) {
    super('PAYLOAD_TOO_LARGE', 413, `The JSON is nested deeper than ${depth} levels.`);
  }
}

/** Rejects JSON bodies beyond `JSON_LIMITS` before parsing. */
export function limitJsonBodies(
  scope: FastifyInstance,
  parse: FastifyBodyParser<string> = scope.getDefaultJsonParser('error', 'error'),
): void {
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer;
    try {
      createJsonLimiter(JSON_LIMITS)(bytes);
    } catch (error) {
      return done(error as ApiError);
    }
    void parse(request, bytes.toString('utf8'), done);
  });
}

/**
 * Returns a function that scans JSON texts (UTF-8) without parsing. Throws {@link JsonTooDeep} for a text, and another
 * `ApiError` when the values of all texts exceed `limits`.
 */
export function createJsonLimiter(limits: JsonLimits): (text: Uint8Array) => void {
  let values = 0;
  const count = () => {
    if (++values > limits.values) throw tooLarge(`The JSON has more than ${limits.values} values.`);
  };
  return (text) => {
    let depth = 0;
    // The text is one value; each of the characters below precedes another one.
    count();
    for (let at = 0; at < text.length; at++) {
      const byte = text[at]!;
      if (byte === QUOTE) at = endOfString(text, at + 1);
      else if (byte === COMMA || byte === COLON) count();
      else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
        count();
        if (++depth > limits.depth) throw new JsonTooDeep(limits);
      } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) depth--;
    }
  };
}

/** Index of a string's closing quote; bytes of multi-byte UTF-8 characters never equal a quote. */
function endOfString(text: Uint8Array, from: number): number {
  let at = from;
  for (; at < text.length && text[at] !== QUOTE; at++) if (text[at] === BACKSLASH) at++;
  return at;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];
