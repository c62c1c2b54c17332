import type { Check, RunContext } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { clientError, error, expecting } from '../expect.ts';
import { further } from '../task.ts';
import { audioUrl, plain, postBroken, transcribe, transcribeAudio } from './steps.ts';

const URL_RULE = [
  '2.3',
  'required; non-empty `https://` address of an audio file; must pass the general https and host-name check',
] as const;
const METADATA_RULE = ['2.3', 'object, free-form keys, any values'] as const;
const WEBHOOK_RULE = ['2.3', 'required when `webhook` is given; `https://`'] as const;
const BODY_RULE = ['4.2', 'validation failure (`VALIDATION_ERROR`)'] as const;

const withChange = (change: Record<string, unknown>) => further(plain, (context) => transcribeAudio(context, change));
const url = (value: unknown) => withChange({ url: value });
const webhook = (value: unknown) => withChange({ webhook: value });
const metadata = (value: unknown) => withChange({ metadata: value });
const httpUrl = further(plain, async (context) =>
  transcribe(context, { url: (await audioUrl(context)).replace(/^https:/, 'http:') }),
);

type Ask = (context: RunContext) => Promise<Exchange>;

const invalidRequests: readonly (readonly [name: string, title: string, cites: Check['cites'], ask: Ask])[] = [
  ['no-url', 'no url', URL_RULE, (context) => transcribe(context, {})],
  ['url-empty', 'an empty url', URL_RULE, url('')],
  ['url-number', 'a url that is a number', URL_RULE, url(17)],
  ['url-null', 'a url that is null', URL_RULE, url(null)],
  ['url-words', 'a url that is not an address', URL_RULE, url('a recording')],
  ['url-http', 'an http url', URL_RULE, httpUrl],
  ['url-file', 'a file url', URL_RULE, url('file:///etc/hostname')],
  ['url-no-host', 'a url without a host', URL_RULE, url('https://')],
  ['metadata-text', 'metadata that is text', METADATA_RULE, metadata('a call')],
  ['metadata-list', 'metadata that is a list', METADATA_RULE, metadata([1])],
  ['webhook-text', 'a webhook that is text', WEBHOOK_RULE, webhook('https://conform.invalid/hook')],
  ['webhook-no-url', 'a webhook without a url', WEBHOOK_RULE, webhook({ secret: 'x' })],
  ['webhook-http', 'an http webhook', WEBHOOK_RULE, webhook({ url: 'http://conform.invalid/hook' })],
  ['webhook-words', 'a webhook with an invalid url', WEBHOOK_RULE, webhook({ url: 'call me' })],
  [
    'secret-number',
    'a webhook secret that is a number',
    ['2.3', 'optional; used to sign or verify the webhook'],
    further(plain, (context) => transcribeAudio(context, { webhook: { url: context.webhookUrl, secret: 17 } })),
  ],
  ['body-list', 'a body that is a list', BODY_RULE, (context) => transcribe(context, [])],
  ['body-broken', 'an invalid JSON body', BODY_RULE, postBroken],
];

/** One check per kind of invalid request; the specification does not define the status. */
export const sttRefused: readonly Check[] = invalidRequests.map(([name, title, cites, ask]) => ({
  id: `stt.accept.refuses.${name}`,
  cites,
  title: `${title} is rejected with VALIDATION_ERROR`,
  run: expecting(ask, clientError, error('VALIDATION_ERROR')),
}));
