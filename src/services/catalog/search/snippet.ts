const MAX_LENGTH = 200;
const CONTEXT = 60;

/** Around the first word with one of the prefixes, without line breaks and bidirectional controls. */
export function snippetOf(text: string, prefixes: readonly string[]): string {
  const plain = text.replace(BIDI_CONTROLS, '').replace(SPACES, ' ').trim();
  const at = prefixes.length === 0 ? 0 : firstMatch(plain, prefixes);
  const from = at <= CONTEXT ? 0 : nextWordStart(plain, at - CONTEXT);
  const start = from === 0 ? '' : '…';
  const rest = trimSurrogates(plain.slice(from));
  if (start.length + rest.length <= MAX_LENGTH) return start + rest;
  const cut = trimSurrogates(rest.slice(0, MAX_LENGTH - start.length - 1));
  const blank = cut.lastIndexOf(' ');
  return `${start}${(blank > MAX_LENGTH / 2 ? cut.slice(0, blank) : cut).trimEnd()}…`;
}

// Embeddings, overrides and isolates (Unicode Standard Annex #9), which truncation would leave unclosed.
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;
const SPACES = /[\s\p{Cc}]+/gu;
const WORD = /[\p{L}\p{N}]+/gu;

/** Or 0. One pass, independent of the number of prefixes. */
function firstMatch(text: string, prefixes: readonly string[]): number {
  const known = new Set(prefixes);
  const lengths = [...new Set(prefixes.map(({ length }) => length))];
  for (const match of text.matchAll(WORD)) {
    const word = match[0].toLowerCase().replaceAll('ё', 'е');
    if (lengths.some((length) => length <= word.length && known.has(word.slice(0, length)))) return match.index;
  }
  return 0;
}

function nextWordStart(text: string, at: number): number {
  const blank = text.indexOf(' ', at);
  return blank >= 0 && blank < at + CONTEXT / 2 ? blank + 1 : at;
}

const trimSurrogates = (text: string) => text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
