const LONGEST = 200;
const BEFORE = 60;

/**
 * A line of at most 200 characters out of `text`, around the first word that begins as one of `beginnings` does; from its
 * start where there is none. Plain text: line breaks are blanks, and what turns the direction of a line is left out.
 */
export function snippetOf(text: string, beginnings: readonly string[]): string {
  const plain = text.replace(TURNS, '').replace(SPACES, ' ').trim();
  const at = beginnings.length === 0 ? 0 : firstOf(plain, beginnings);
  const from = at <= BEFORE ? 0 : beginningOfWord(plain, at - BEFORE);
  const start = from === 0 ? '' : '…';
  const rest = whole(plain.slice(from));
  if (start.length + rest.length <= LONGEST) return start + rest;
  const cut = whole(rest.slice(0, LONGEST - start.length - 1));
  const blank = cut.lastIndexOf(' ');
  return `${start}${(blank > LONGEST / 2 ? cut.slice(0, blank) : cut).trimEnd()}…`;
}

// Whatever embeds, overrides or isolates a direction (Unicode Standard Annex #9), which a cut would leave open.
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;
const SPACES = /[\s\p{Cc}]+/gu;
const WORD = /[\p{L}\p{N}]+/gu;

/** Where the first such word stands; 0 where there is none. One walk over the text, however many beginnings there are. */
function firstOf(text: string, beginnings: readonly string[]): number {
  const known = new Set(beginnings);
  const lengths = [...new Set(beginnings.map(({ length }) => length))];
  for (const match of text.matchAll(WORD)) {
    const word = match[0].toLowerCase().replaceAll('ё', 'е');
    if (lengths.some((length) => length <= word.length && known.has(word.slice(0, length)))) return match.index;
  }
  return 0;
}

/** The beginning of the word after the first blank there, if one is near. */
function beginningOfWord(text: string, at: number): number {
  const blank = text.indexOf(' ', at);
  return blank >= 0 && blank < at + BEFORE / 2 ? blank + 1 : at;
}

/** Without halves of characters at its ends. */
const whole = (text: string) => text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
