/** The fields with the name of one person. */
export const PERSON_FIELDS: ReadonlySet<string> = new Set(['general:head', 'general:technician']);

const INITIALS_FIRST = /^(?:\p{Lu}\.\s?){1,3}\p{Lu}[\p{L}’'-]+$/u;
const INITIALS_LAST = /^\p{Lu}[\p{L}’'-]+(?:,?\s|(?<=\p{Ll}))\p{Lu}\.?(?:\s?\p{Lu}\.?)?$/u;
const FULL = /^\p{Lu}[\p{L}’'-]+(?:\s\p{Lu}[\p{L}’'-]*\.?){1,2}$/u;

/** Whether a text is the name of a person and nothing else: `Осокин А. Т.`, `А. Т. Осокин`, `Mrs Janet Beavan`. */
export const isPersonName = (text: string): boolean =>
  INITIALS_FIRST.test(text) || INITIALS_LAST.test(text) || FULL.test(text);
