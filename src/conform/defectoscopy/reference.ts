import type { Check } from '../check.ts';
import { holds, status } from '../expect.ts';
import { openapiCheck } from '../openapi.ts';
import { pageAt } from '../page.ts';

const NO_TOKEN = [
  '5.1',
  'No token is needed for `/health`, `/metrics`, `/docs`, `/swagger`, `/redoc`, `/openapi.json`.',
] as const;

/** The endpoints about the service itself that no token opens or closes. */
export const reference: readonly Check[] = [
  ...['docs', 'swagger', 'redoc'].map(
    (name): Check => ({
      id: `defectoscopy.reference.${name}`,
      cites: NO_TOKEN,
      title: `/${name} is a page that needs no token`,
      run: async ({ probe }) => {
        const page = await pageAt(probe, `/${name}`);
        status(page, 200);
        holds(page, /text\/html/.test(page.headers.get('content-type') ?? ''), 'a page: text/html');
      },
    }),
  ),
  openapiCheck('defectoscopy'),
  {
    id: 'defectoscopy.reference.metrics',
    cites: ['4.1', 'metrics in a text exposition format for a monitoring system'],
    title: '/metrics is text in an exposition format and needs no token',
    run: async ({ probe }) => {
      const answer = await probe.get('/metrics', { headers: { accept: 'text/plain' }, as: 'without a token' });
      status(answer, 200);
      const lines = answer.bytes
        .toString('utf8')
        .split('\n')
        .filter((line) => line.trim() !== '');
      const odd = lines.find((line) => !/^#|^[a-zA-Z_:][\w:]*(\{.*\})?\s+\S+/.test(line));
      holds(answer, odd === undefined && lines.length > 0, 'lines of the form `name{labels} value`, or comments');
      holds(answer, !/json|html/.test(answer.headers.get('content-type') ?? ''), 'a content type of text');
    },
  },
];
