import type { Check } from '../check.ts';
import { assertStatus } from '../expect.ts';
import { assertInvalidRequest } from './rejections.ts';
import { accepted, predictImage } from './steps.ts';

const RULE = [
  '2.2',
  'optional; `https://` allowed; `http://` allowed only for the loopback hosts `localhost`, `127.0.0.1`, `[::1]`',
] as const;

// An unused port without a well-known service, which deployments may block.
const PORT = 49_151;

export const webhookUrl: readonly Check[] = [
  {
    id: 'defectoscopy.webhook-url.https',
    cites: RULE,
    title: 'a webhook_url may be https',
    run: async (context) => {
      await accepted(context);
      assertStatus(await predictImage(context, { webhook_url: context.webhookUrl }), 202);
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
      run: async (context) => {
        await accepted(context);
        assertStatus(await predictImage(context, { webhook_url: `http://${host}:${PORT}/conform` }), 202);
      },
    }),
  ),
  ...(
    [
      ['http', 'with http and a public host', 'http://conform.invalid/hook'],
      ['http-begins', 'with http and localhost as host prefix', 'http://localhost.conform.invalid/hook'],
      ['http-user', 'with http and localhost as user name', 'http://localhost@conform.invalid/hook'],
      ['http-private', 'with http and an address that is not loopback', 'http://192.0.2.1/hook'],
      ['ftp', 'with ftp', 'ftp://localhost/hook'],
      ['words', 'that is not an address', 'call me'],
      ['number', 'that is a number', 17],
    ] as const
  ).map(
    ([name, title, webhook_url]): Check => ({
      id: `defectoscopy.webhook-url.refuses.${name}`,
      cites: RULE,
      title: `a webhook_url ${title} is rejected with 422 VALIDATION_ERROR`,
      run: async (context) => assertInvalidRequest(await predictImage(context, { webhook_url })),
    }),
  ),
];
