import type { Check } from '../check.ts';
import { checks, expecting, rows } from '../expect.ts';
import { expectAccepted } from './predict.ts';
import { invalidRequest, withChange } from './rejections.ts';

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

export const webhookUrl: readonly Check[] = checks('defectoscopy.webhook-url', [
  ...rows(allowed, ([name, words, url]) => [
    name,
    RULE,
    `a webhook_url may be ${words}`,
    expectAccepted(({ webhookUrl }) => ({ webhook_url: url ?? webhookUrl })),
  ]),
  ...rows(refused, ([name, title, webhook_url]) => [
    `refuses.${name}`,
    RULE,
    `a webhook_url ${title} is rejected with 422 VALIDATION_ERROR`,
    expecting(withChange({ webhook_url }), ...invalidRequest),
  ]),
]);
