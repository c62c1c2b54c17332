import type { Check } from '../check.ts';
import { status } from '../expect.ts';
import { invalid } from './refusals.ts';
import { accepted, predictImage } from './steps.ts';

const RULE = [
  '2.2',
  'optional; `https://` allowed; `http://` allowed only for the loopback hosts `localhost`, `127.0.0.1`, `[::1]`',
] as const;

// Nothing listens there as a rule; a deployment may refuse ports that are known for something.
const PORT = 49_151;

/** Where a callback may go, and where not. */
export const webhookUrl: readonly Check[] = [
  {
    id: 'defectoscopy.webhook-url.https',
    cites: RULE,
    title: 'a webhook_url may be https',
    run: async (visit) => {
      await accepted(visit);
      status(await predictImage(visit, { webhook_url: visit.webhookUrl }), 202);
    },
  },
  ...[
    ['localhost', 'localhost'],
    ['ipv4', '127.0.0.1'],
    ['ipv6', '[::1]'],
  ].map(
    ([name, host]): Check => ({
      id: `defectoscopy.webhook-url.http-${name}`,
      cites: RULE,
      title: `a webhook_url may be http on ${host}`,
      run: async (visit) => {
        await accepted(visit);
        status(await predictImage(visit, { webhook_url: `http://${host}:${PORT}/conform` }), 202);
      },
    }),
  ),
  ...(
    [
      ['http', 'by http elsewhere', 'http://conform.invalid/hook'],
      ['http-begins', 'by http to a host that only begins like localhost', 'http://localhost.conform.invalid/hook'],
      ['http-user', 'by http to a host with localhost as its user', 'http://localhost@conform.invalid/hook'],
      ['http-private', 'by http to another address than that of loopback', 'http://192.0.2.1/hook'],
      ['ftp', 'by ftp', 'ftp://localhost/hook'],
      ['words', 'that is no address', 'call me'],
      ['number', 'that is a number', 17],
    ] as const
  ).map(
    ([name, title, webhook_url]): Check => ({
      id: `defectoscopy.webhook-url.refuses.${name}`,
      cites: RULE,
      title: `a webhook_url ${title} is refused: 422 VALIDATION_ERROR`,
      run: async (visit) => invalid(await predictImage(visit, { webhook_url })),
    }),
  ),
];
