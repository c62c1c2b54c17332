import { cleanName } from '../shared/file-names.ts';
import { invalidName } from './api-errors.ts';

const MAX_CHARACTERS = 255;

/**
 * The last path segment without control and direction characters, at most 255 characters, NFC. Never part of a path.
 */
export function sanitizeDisplayName(raw: string, fallback: string): string {
  const name = cleanName(raw.split(/[/\\]/).at(-1) ?? '');
  return truncate(name) || fallback;
}

/** Throws `INVALID_NAME` if the name is empty or too long. */
export function parseDisplayName(raw: string): string {
  const name = cleanName(raw);
  if (name === '') throw invalidName('A name needs at least one character.');
  if ([...name].length > MAX_CHARACTERS) throw invalidName(`A name has at most ${MAX_CHARACTERS} characters.`);
  return name;
}

function truncate(name: string): string {
  const characters = [...name];
  if (characters.length <= MAX_CHARACTERS) return name;
  const ending = /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ?? '';
  return characters.slice(0, MAX_CHARACTERS - ending.length).join('') + ending;
}
