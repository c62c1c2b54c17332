import { hash } from 'node:crypto';

/** The tag of one body of one version: `"3.k7Rf…"`. Who edits names the version, who reads again the whole. */
export const versionTag = (version: number, body: string) =>
  `"${version}.${hash('sha256', body, 'base64url').slice(0, 16)}"`;

/**
 * The version that `If-Match` insists on: from a tag as above, or from the bare number, quoted or not. Undefined where
 * any will do; -1, which nothing has, where it names none.
 */
export function matchedVersion(ifMatch: string | undefined): number | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  const version = /^\s*(?:W\/)?"?(\d{1,9})(?:\.[\w-]*)?"?\s*$/.exec(ifMatch)?.[1];
  return version === undefined ? -1 : Number(version);
}
