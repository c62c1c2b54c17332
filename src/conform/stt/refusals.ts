import { admitted, asOwner } from '../access.ts';
import type { Check, Visit } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { envelope, refused } from '../expect.ts';
import { audioUrl, transcribe, transcribeAudio } from './steps.ts';

const URL_RULE = [
  '2.3',
  'required; non-empty `https://` address of an audio file; must pass the general https and host-name check',
] as const;
const METADATA_RULE = ['2.3', 'object, free-form keys, any values'] as const;
const WEBHOOK_RULE = ['2.3', 'required when `webhook` is given; `https://`'] as const;
const BODY_RULE = ['4.2', 'validation failure (`VALIDATION_ERROR`)'] as const;

const url = (value: unknown) => (visit: Visit) => transcribe(visit, { url: value });
const webhook = (value: unknown) => (visit: Visit) => transcribeAudio(visit, { webhook: value });

type Wrong = readonly [name: string, title: string, cites: Check['cites'], ask: (visit: Visit) => Promise<Exchange>];

const wrongs: readonly Wrong[] = [
  ['no-url', 'no url', URL_RULE, (visit) => transcribe(visit, {})],
  ['url-empty', 'an empty url', URL_RULE, url('')],
  ['url-number', 'a url that is a number', URL_RULE, url(17)],
  ['url-null', 'a url that is null', URL_RULE, url(null)],
  ['url-words', 'a url that is no address', URL_RULE, url('a recording')],
  [
    'url-http',
    'a url by http',
    URL_RULE,
    async (visit) => transcribe(visit, { url: (await audioUrl(visit)).replace(/^https:/, 'http:') }),
  ],
  ['url-file', 'a url of a file', URL_RULE, url('file:///etc/hostname')],
  ['url-no-host', 'a url without a host', URL_RULE, url('https://')],
  ['metadata-text', 'metadata that is text', METADATA_RULE, (visit) => transcribeAudio(visit, { metadata: 'a call' })],
  ['metadata-list', 'metadata that is a list', METADATA_RULE, (visit) => transcribeAudio(visit, { metadata: [1] })],
  ['webhook-text', 'a webhook that is text', WEBHOOK_RULE, webhook('https://conform.invalid/hook')],
  ['webhook-no-url', 'a webhook without a url', WEBHOOK_RULE, webhook({ secret: 'x' })],
  ['webhook-http', 'a webhook by http', WEBHOOK_RULE, webhook({ url: 'http://conform.invalid/hook' })],
  ['webhook-words', 'a webhook that leads nowhere', WEBHOOK_RULE, webhook({ url: 'call me' })],
  [
    'secret-number',
    'a webhook’s secret that is a number',
    ['2.3', 'optional; used to sign or verify the webhook'],
    (visit) => transcribeAudio(visit, { webhook: { url: visit.webhookUrl, secret: 17 } }),
  ],
  ['body-list', 'a body that is a list', BODY_RULE, (visit) => transcribe(visit, [])],
  [
    'body-broken',
    'a body that is no JSON',
    BODY_RULE,
    async (visit) => {
      await admitted(visit);
      const headers = { 'content-type': 'application/json' };
      return visit.probe.post('/transcribe/audio_url', { ...asOwner(visit), headers, body: '{"url":' });
    },
  ],
];

/** A request that is not as it should be is refused; with which status, the specification does not show. */
export const sttRefused: readonly Check[] = wrongs.map(([name, title, cites, ask]) => ({
  id: `stt.accept.refuses.${name}`,
  cites,
  title: `${title} is refused: VALIDATION_ERROR`,
  run: async (visit) => {
    const answer = await ask(visit);
    refused(answer);
    envelope(answer, 'VALIDATION_ERROR');
  },
}));
