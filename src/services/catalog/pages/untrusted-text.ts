// Bidirectional controls (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069; Unicode Standard Annex 9),
// zero-width characters and control characters except line breaks and tabs.
const INVISIBLE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** As code points: ‹U+202E›. Does not escape HTML; JSX `safe` does. */
export const showInvisible = (text: string): string =>
  text.replace(
    INVISIBLE,
    (character) => `‹U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}›`,
  );

/** At a word boundary if possible. */
export function truncateAtWord(text: string, most: number): string {
  const all = [...text.replace(/\s+/g, ' ').trim()];
  if (all.length <= most) return all.join('');
  const cut = all.slice(0, most);
  const end = cut.lastIndexOf(' ');
  return `${cut
    .slice(0, end > most / 2 ? end : most)
    .join('')
    .trimEnd()}…`;
}
