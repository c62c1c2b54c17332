/** Byte-level byte-pair encoding (Radford et al. 2019, "Language Models are Unsupervised Multitask Learners"). */

const isPrintable = (byte: number) =>
  (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);

/** The vocabulary spells each byte as a character: printable Latin-1 as itself, the others as the characters from 256 on. */
const CHARACTERS: readonly string[] = (() => {
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isPrintable(byte) ? byte : next++));
})();

const BYTES: ReadonlyMap<string, number> = new Map(CHARACTERS.map((character, byte) => [character, byte]));

/** Returns a function that decodes tokens below `end`; other tokens have no text. */
export function createTokenDecoder(
  tokenByText: Readonly<Record<string, number>>,
  end: number,
): (tokens: readonly number[]) => string {
  // Not their bytes: 50 000 byte arrays make garbage collection slow.
  const texts: string[] = [];
  for (const [text, token] of Object.entries(tokenByText)) texts[token] = text;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return (tokens) => {
    const characters = tokens.map((token) => (token < end ? (texts[token] ?? '') : '')).join('');
    return decoder.decode(Uint8Array.from(characters, (character) => BYTES.get(character) ?? 63));
  };
}

/** Where GPT-2 divides a text with single spaces before it merges bytes. */
const PIECES = /'(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s/gu;

/** Returns a function that encodes a text. Tokens are numbered in the order of the merges, so no list of merges is needed. */
export function createTokenEncoder(tokenByText: Readonly<Record<string, number>>): (text: string) => number[] {
  const tokenOf = (text: string) => (Object.hasOwn(tokenByText, text) ? tokenByText[text] : undefined);
  return (text) => (text.match(PIECES) ?? []).flatMap((piece) => encodePiece(piece, tokenOf));
}

function encodePiece(piece: string, tokenOf: (text: string) => number | undefined): number[] {
  const parts = Array.from(Buffer.from(piece), (byte) => CHARACTERS[byte]!);
  for (;;) {
    let [at, first] = [-1, Number.POSITIVE_INFINITY];
    for (let i = 0; i + 1 < parts.length; i++) {
      const merged = tokenOf(parts[i]! + parts[i + 1]!);
      if (merged !== undefined && merged < first) [at, first] = [i, merged];
    }
    if (at === -1) return parts.flatMap((part) => tokenOf(part) ?? []);
    parts.splice(at, 2, parts[at]! + parts[at + 1]!);
  }
}
