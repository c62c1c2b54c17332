import { hash } from 'node:crypto';

/** ETag `"VERSION.HASH"`: edits compare the version, conditional reads the whole tag. */
export const versionTag = (version: number, body: string) =>
  `"${version}.${hash('sha256', body, 'base64url').slice(0, 16)}"`;

/** The version in `If-Match`: a tag as above or a bare number. Undefined for any version; -1 (never matches) if invalid. */
export function parseIfMatch(ifMatch: string | undefined): number | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  const version = /^\s*(?:W\/)?"?(\d{1,9})(?:\.[\w-]*)?"?\s*$/.exec(ifMatch)?.[1];
  return version === undefined ? -1 : Number(version);
}
