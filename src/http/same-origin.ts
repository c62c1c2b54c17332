import type { FastifyRequest } from 'fastify';
import { parsedUrl } from '../base/parsed-url.ts';

/**
 * Whether a request that changes something may count a cookie as its credential: a browser says where the page stands
 * that sent it, and only our own may. What says nothing of it is no browser, and needs no protection from one. Another
 * port of the same host is another site: cookies do not tell ports apart.
 */
export function fromOwnPage(
  { headers, host }: Pick<FastifyRequest, 'headers' | 'host'>,
  publicOrigins: readonly string[],
): boolean {
  const site = headers['sec-fetch-site'];
  const said = headers.origin ?? headers.referer;
  if (site === undefined && said === undefined) return true;
  if (site === 'same-origin' || site === 'none') return true;
  const origin = originOf(said);
  if (origin === undefined) return false;
  return publicOrigins.includes(origin) || new URL(origin).host === host.toLowerCase();
}

/** `null`, which a page without an address sends, is the origin of nobody. */
function originOf(said: string | undefined): string | undefined {
  return said !== undefined && /^https?:/i.test(said) ? parsedUrl(said)?.origin : undefined;
}
