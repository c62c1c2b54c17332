const LONGEST = 200;
const BEFORE = 60;

/**
 * A line of at most 200 characters out of `text`, around the first word that begins as one of `beginnings` does; from its
 * start where there is none. Plain text: line breaks are blanks, and what turns the direction of a line is left out.
 */
export function snippetOf(text: string, beginnings: readonly string[]): string {
  const plain = text.replace(TURNS, '').replace(/[\s\p{Cc}]+/gu, ' ').trim();
  const at = beginnings.length === 0 ? -1 : plain.search(lookedFor(beginnings));
  const wanted = at <= BEFORE ? 0 : at - BEFORE;
  // From the next word on.
  const from = wanted === 0 ? 0 : plain.lastIndexOf(' ', wanted + Math.min(BEFORE, 20)) + 1 || wanted;
  const start = from === 0 ? '' : '…';
  const rest = whole(plain.slice(from));
  if (start.length + rest.length <= LONGEST) return start + rest;
  const cut = whole(rest.slice(0, LONGEST - start.length - 1));
  const blank = cut.lastIndexOf(' ');
  return `${start}${(blank > LONGEST / 2 ? cut.slice(0, blank) : cut).trimEnd()}…`;
}

// Whatever embeds, overrides or isolates a direction (Unicode Standard Annex #9), which a cut would leave open.
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Words are letters and digits; in texts stands ё where words have е. */
function lookedFor(beginnings: readonly string[]): RegExp {
  const forms = beginnings.map((word) => word.replace(/[^\p{L}\p{N}]/gu, '').replaceAll('е', '[её]'));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${forms.join('|')})`, 'iu');
}

/** Without halves of characters at its ends. */
const whole = (text: string) => text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
