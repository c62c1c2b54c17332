import { Type } from 'typebox';
import { composeCharacters } from '../../base/compose-characters.ts';
import { parseUrl } from '../../base/parse-url.ts';

const MAX_CHARACTERS = 255;

/** A field of requests. */
export const fileNameField = {
  file_name: Type.Optional(
    Type.String({
      maxLength: MAX_CHARACTERS,
      description: 'The name of the file, for pages and records, if its URL does not have it.',
    }),
  ),
};

/** NFC, without control characters, lone surrogates and direction marks, which can make one name look like another. */
export const cleanName = (name: string): string =>
  composeCharacters(name, 'NFC')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, '')
    .trim();

/** As part of an input: clean, and absent without a visible character. Keeps the end of a path above the limit of the field. */
export const inputFileName = (name = '') =>
  namedIn({ file_name: [...cleanName(name)].slice(-MAX_CHARACTERS).join('') || undefined });

/** Of a stored input. Polls read inputs: one without a file name is not parsed. */
export const fileNameOf = (inputText: string): { readonly file_name?: string } =>
  inputText.includes('"file_name":') ? namedIn(JSON.parse(inputText) as { file_name?: string }) : {};

const namedIn = ({ file_name: name }: { readonly file_name?: string | undefined }) =>
  name === undefined ? {} : { file_name: name };

/**
 * The decoded last path segment of a file URL. Undefined if it is empty, or if the file is stored here under a
 * generated key.
 */
export function fileNameFromUrl(address: string, filesHost: string | undefined): string | undefined {
  const url = parseUrl(address);
  if (!url || url.hostname === filesHost) return undefined;
  const last = url.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last).trim() || undefined;
  } catch {
    // Invalid percent-encoding.
    return last;
  }
}

/** The key of a file stored here; undefined for any other URL. */
export function fileKeyFromUrl(address: string, filesHost: string | undefined): string | undefined {
  if (filesHost === undefined) return undefined;
  const url = parseUrl(address);
  return url?.hostname === filesHost ? url.pathname.slice(1) : undefined;
}
