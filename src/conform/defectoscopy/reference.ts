import type { Check } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { contentType, expecting, status, that } from '../expect.ts';
import { openapiCheck } from '../openapi.ts';
import type { Probe } from '../probe.ts';

const NO_TOKEN = [
  '5.1',
  'No token is needed for `/health`, `/metrics`, `/docs`, `/swagger`, `/redoc`, `/openapi.json`.',
] as const;

export const reference: readonly Check[] = [
  ...['docs', 'swagger', 'redoc'].map(
    (name): Check => ({
      id: `defectoscopy.reference.${name}`,
      cites: NO_TOKEN,
      title: `/${name} is a page that needs no token`,
      run: expecting(
        ({ probe }) => getPage(probe, `/${name}`),
        status(200),
        contentType(/text\/html/, 'the content type text/html'),
      ),
    }),
  ),
  openapiCheck('defectoscopy'),
  {
    id: 'defectoscopy.reference.metrics',
    cites: ['4.1', 'metrics in a text exposition format for a monitoring system'],
    title: '/metrics is in a text exposition format and needs no token',
    run: expecting(
      ({ probe }) => probe.get('/metrics', { headers: { accept: 'text/plain' }, as: 'without a token' }),
      status(200),
      that(isExposition, 'lines of the form `name{labels} value`, or comments'),
      that(({ headers }) => !/json|html/.test(headers.get('content-type') ?? ''), 'a text content type'),
    ),
  },
];

function isExposition({ bytes }: Exchange): boolean {
  const lines = bytes.toString('utf8').split('\n');
  const filled = lines.filter((line) => line.trim() !== '');
  return filled.length > 0 && filled.every((line) => /^#|^[a-zA-Z_:][\w:]*(\{.*\})?\s+\S+/.test(line));
}

/** Requests a page without a token; follows up to three redirects on the same host, like `/docs` to `/docs/`. */
async function getPage(probe: Probe, path: string): Promise<Exchange> {
  let at = path;
  for (let hops = 0; ; hops++) {
    const response = await probe.get(at, { headers: { accept: 'text/html' }, as: 'without a token' });
    const location = response.headers.get('location');
    if (location === null || response.status < 300 || response.status > 399 || hops === 3) return response;
    if (!URL.canParse(location, probe.base + at)) return response;
    const to = new URL(location, probe.base + at);
    const { origin, pathname } = new URL(probe.base);
    const prefix = pathname === '/' ? '' : pathname;
    if (to.origin !== origin || !to.pathname.startsWith(prefix)) return response;
    at = to.pathname.slice(prefix.length) + to.search;
  }
}
