// Characters that nobody sees, yet which change what is seen: of another direction (U+061C, U+200E, U+200F, U+202A to
// U+202E, U+2066 to U+2069; Unicode Standard Annex 9), without width, and controls. Line breaks and tabs stay.
const UNSEEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/**
 * A stranger's text as it may be shown: whatever would turn it around, or hide in it, stands there by its number instead,
 * as ‹U+202E›. Escaping is another matter: JSX does it where it says `safe`.
 */
export const visible = (text: string): string =>
  text.replace(UNSEEN, (unseen) => `‹U+${unseen.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}›`);

/** The first words of a text, at most so many characters, whole ones where that is possible. */
export function firstWords(text: string, most: number): string {
  const all = [...text.replace(/\s+/g, ' ').trim()];
  if (all.length <= most) return all.join('');
  const cut = all.slice(0, most);
  const end = cut.lastIndexOf(' ');
  return `${cut
    .slice(0, end > most / 2 ? end : most)
    .join('')
    .trimEnd()}…`;
}
