const MAX_LENGTH = 200;
const CONTEXT = 60;

/** Around the first word with one of the prefixes, without line breaks and bidirectional controls. */
export function createSnippets(prefixes: readonly string[]): (text: string) => string {
  const word = prefixes.length === 0 ? undefined : wordPattern(prefixes);
  return (text) => {
    const plain = text.replace(BIDI_CONTROLS, '').replace(SPACES, ' ').trim();
    return snippetAt(plain, word ? Math.max(0, plain.search(word)) : 0);
  };
}

/** Prefixes consist of letters and digits. */
const wordPattern = (prefixes: readonly string[]) =>
  // eslint-disable-next-line no-restricted-syntax -- alternative words without repetition: linear
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${prefixes.join('|').replaceAll('е', '[её]')})`, 'iu');

function snippetAt(plain: string, at: number): string {
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
// Except single spaces, most of all.
const SPACES = /[\s\p{Cc}]{2,}|[^\S ]|\p{Cc}/gu;

function nextWordStart(text: string, at: number): number {
  const blank = text.indexOf(' ', at);
  return blank >= 0 && blank < at + CONTEXT / 2 ? blank + 1 : at;
}

const trimSurrogates = (text: string) => text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
