import { hash } from 'node:crypto';

/** A weak tag of a body: equal bodies have equal tags, in every process and after every restart. */
export function weakETag(body: string | Buffer): string {
  return `W/"${hash('sha256', body, 'base64url').slice(0, 22)}"`;
}

/** Whether `If-None-Match` names `etag`: by weak comparison, so the mark of weakness counts for neither side. */
export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const wanted = etag.replace(/^W\//, '');
  return [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([tag]) => tag === wanted);
}
