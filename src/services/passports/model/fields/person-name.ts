/** The fields with the name of one person. */
export const PERSON_FIELDS: ReadonlySet<string> = new Set(['general:head', 'general:technician']);

const SURNAME = String.raw`\p{Lu}[\p{L}’'-]+`;
const NAMES = [
  String.raw`(?:\p{Lu}\.\s?){1,3}${SURNAME}`,
  String.raw`${SURNAME},?\s(?:\p{Lu}\.?\s?){1,2}`,
  String.raw`${SURNAME}(?:\s\p{Lu}[\p{L}’'-]*\.?){1,2}`,
];
const NAME = new RegExp(`^(?:${NAMES.join('|')})$`, 'u');

/** Whether a text is the name of a person and nothing else: `Осокин А. Т.`, `А. Т. Осокин`, `Mrs Janet Beavan`. */
export const isPersonName = (text: string): boolean => NAME.test(text);
