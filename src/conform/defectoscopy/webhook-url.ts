import type { Check } from '../check.ts';
import { expect, expecting, status } from '../expect.ts';
import { invalidRequest } from './rejections.ts';
import { predictImage, task } from './steps.ts';

const RULE = [
  '2.2',
  'optional; `https://` allowed; `http://` allowed only for the loopback hosts `localhost`, `127.0.0.1`, `[::1]`',
] as const;

// An unused port without a well-known service, which deployments may block.
const PORT = 49_151;

const allowed = [
  ['https', 'https', undefined],
  ['http-localhost', 'http on localhost', `http://localhost:${PORT}/conform`],
  ['http-ipv4', 'http on 127.0.0.1', `http://127.0.0.1:${PORT}/conform`],
  ['http-ipv6', 'http on [::1]', `http://[::1]:${PORT}/conform`],
] as const;

const refused = [
  ['http', 'with http and a public host', 'http://conform.invalid/hook'],
  ['http-begins', 'with http and localhost as host prefix', 'http://localhost.conform.invalid/hook'],
  ['http-user', 'with http and localhost as user name', 'http://localhost@conform.invalid/hook'],
  ['http-private', 'with http and an address that is not loopback', 'http://192.0.2.1/hook'],
  ['ftp', 'with ftp', 'ftp://localhost/hook'],
  ['words', 'that is not an address', 'call me'],
  ['number', 'that is a number', 17],
] as const;

export const webhookUrl: readonly Check[] = [
  ...allowed.map(
    ([name, words, url]): Check => ({
      id: `defectoscopy.webhook-url.${name}`,
      cites: RULE,
      title: `a webhook_url may be ${words}`,
      run: async (context) => {
        await task.accepted(context);
        expect(await predictImage(context, { webhook_url: url ?? context.webhookUrl }), status(202));
      },
    }),
  ),
  ...refused.map(
    ([name, title, webhook_url]): Check => ({
      id: `defectoscopy.webhook-url.refuses.${name}`,
      cites: RULE,
      title: `a webhook_url ${title} is rejected with 422 VALIDATION_ERROR`,
      run: expecting((context) => predictImage(context, { webhook_url }), ...invalidRequest),
    }),
  ),
];
