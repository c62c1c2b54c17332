import type { FastifyRequest } from 'fastify';
import { parsedUrl } from '../base/parsed-url.ts';

/**
 * Whether a request that changes something may count a cookie as its credential: a browser states where the page stands that
 * sent it, and only our own origin (scheme, host and port) and `publicOrigins` may. A request that states nothing comes from
 * no browser, and needs no protection. Another port of the same host is another origin: cookies do not tell ports apart.
 */
export function fromOwnPage(
  { headers, host, protocol }: Pick<FastifyRequest, 'headers' | 'host' | 'protocol'>,
  publicOrigins: readonly string[],
): boolean {
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return true;
  // A page under our public name may be another origin of the same site; a `cross-site` page is never ours.
  if (site !== undefined && site !== 'same-site') return false;
  const said = headers.origin ?? headers.referer;
  if (said === undefined) return site === undefined;
  const origin = originOf(said);
  if (origin === undefined) return false;
  return origin === originOf(`${protocol}://${host}`) || publicOrigins.includes(origin);
}

/** `null`, which a page without an address sends, is the origin of nobody. */
function originOf(said: string | undefined): string | undefined {
  return said !== undefined && /^https?:/i.test(said) ? parsedUrl(said)?.origin : undefined;
}
