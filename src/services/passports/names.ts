import { composeCharacters } from '../../base/compose-characters.ts';
import { invalidName } from './refusals.ts';

const MOST_CHARACTERS = 255;

/**
 * A file's name as it may be shown: without folders, composed (NFC), without control and direction characters, at most
 * 255 characters. What nothing is left of is `fallback`. It is never part of a path.
 */
export function displayName(sent: string, fallback: string): string {
  const name = plain(sent.split(/[/\\]/).at(-1) ?? '');
  return shortened(name) || fallback;
}

/** The name that a person gave; refused when nothing is left of it, and when it is too long. */
export function givenName(sent: string): string {
  const name = plain(sent);
  if (name === '') throw invalidName('A name needs at least one character.');
  if ([...name].length > MOST_CHARACTERS) throw invalidName(`A name has at most ${MOST_CHARACTERS} characters.`);
  return name;
}

/** Direction marks can make a name look like another one; control characters and line ends have no place in one. */
function plain(text: string): string {
  return composeCharacters(text, 'NFC')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, '')
    .trim();
}

/** A long name keeps its ending. */
function shortened(name: string): string {
  const characters = [...name];
  if (characters.length <= MOST_CHARACTERS) return name;
  const ending = /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ?? '';
  return characters.slice(0, MOST_CHARACTERS - ending.length).join('') + ending;
}
