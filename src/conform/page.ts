import type { Exchange } from './exchange.ts';
import type { Probe } from './probe.ts';

/** A page without a token, behind at most three redirects on the same host: `/docs` may lead to `/docs/`. */
export async function pageAt(probe: Probe, path: string): Promise<Exchange> {
  let at = path;
  for (let hops = 0; ; hops++) {
    const answer = await probe.get(at, { headers: { accept: 'text/html' }, as: 'without a token' });
    const location = answer.headers.get('location');
    if (location === null || answer.status < 300 || answer.status > 399 || hops === 3) return answer;
    if (!URL.canParse(location, probe.base + at)) return answer;
    const to = new URL(location, probe.base + at);
    const { origin, pathname } = new URL(probe.base);
    const prefix = pathname === '/' ? '' : pathname;
    if (to.origin !== origin || !to.pathname.startsWith(prefix)) return answer;
    at = to.pathname.slice(prefix.length) + to.search;
  }
}
