import type { FastifyRequest } from 'fastify';
import { parseUrl } from '../base/parse-url.ts';

/**
 * CSRF check of requests with cookies: whether `Sec-Fetch-Site`, `Origin` or `Referer` name our own origin (scheme, host and
 * port) or one of `publicOrigins`. Requests without these headers do not come from a browser and pass.
 */
export function isSameOrigin(
  { headers, host, protocol }: Pick<FastifyRequest, 'headers' | 'host' | 'protocol'>,
  publicOrigins: readonly string[],
): boolean {
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return true;
  // A page at the public URL may be another origin of the same site.
  if (site !== undefined && site !== 'same-site') return false;
  const source = headers.origin ?? headers.referer;
  if (source === undefined) return site === undefined;
  const origin = originOf(source);
  if (origin === undefined) return false;
  return origin === originOf(`${protocol}://${host}`) || publicOrigins.includes(origin);
}

/** Undefined for the opaque origin `null`. */
function originOf(url: string | undefined): string | undefined {
  return url !== undefined && /^https?:/i.test(url) ? parseUrl(url)?.origin : undefined;
}
