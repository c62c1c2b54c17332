import { composeCharacters } from '../../base/compose-characters.ts';
import { invalidName } from './api-errors.ts';

const MAX_CHARACTERS = 255;

/**
 * The last path segment without control and direction characters, at most 255 characters, NFC. Never part of a path.
 */
export function sanitizeDisplayName(raw: string, fallback: string): string {
  const name = stripControls(raw.split(/[/\\]/).at(-1) ?? '');
  return truncate(name) || fallback;
}

/** Throws `INVALID_NAME` if the name is empty or too long. */
export function parseDisplayName(raw: string): string {
  const name = stripControls(raw);
  if (name === '') throw invalidName('A name needs at least one character.');
  if ([...name].length > MAX_CHARACTERS) throw invalidName(`A name has at most ${MAX_CHARACTERS} characters.`);
  return name;
}

/** Direction marks can make one name look like another. */
function stripControls(text: string): string {
  return composeCharacters(text, 'NFC')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, '')
    .trim();
}

function truncate(name: string): string {
  const characters = [...name];
  if (characters.length <= MAX_CHARACTERS) return name;
  const ending = /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ?? '';
  return characters.slice(0, MAX_CHARACTERS - ending.length).join('') + ending;
}
