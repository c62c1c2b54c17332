import type { Check, RunContext } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { type Expectation, error, expecting, status } from '../expect.ts';
import { further } from '../task.ts';
import { imageUrl, postBroken, predict, predictImage, task } from './steps.ts';

/** 422 with the error envelope. */
export const invalidRequest: readonly Expectation[] = [status(422), error('VALIDATION_ERROR')];

const IMAGE_URL = [
  '2.2',
  'required; scheme must be `https://`; host must be one of two allow-listed object-storage hosts',
] as const;
const PRIORITY = ['2.2', 'allowed values `realtime`, `batch`'] as const;
const BODY = ['7', 'invalid request parameters'] as const;
const NO_STORAGE = 'conform.invalid';

type Ask = (context: RunContext) => Promise<Exchange>;

export const withChange = (change: Record<string, unknown>): Ask =>
  further(task, (context) => predictImage(context, change));

/** Changes an https `image_url`, or its host. */
const withUrl = (change: (url: string) => string): Ask =>
  further(task, async (context) => predictImage(context, { image_url: change(await imageUrl(context)) }));
const withHost = (change: (host: string) => string) => withUrl((url) => url.replace(new URL(url).host, change));

const invalidRequests: readonly (readonly [name: string, cites: Check['cites'], title: string, ask: Ask])[] = [
  ['no-image', IMAGE_URL, 'no image_url', (context) => predict(context, { priority: 'realtime' })],
  ['image-number', IMAGE_URL, 'an image_url that is a number', withChange({ image_url: 17 })],
  ['image-null', IMAGE_URL, 'an image_url that is null', withChange({ image_url: null })],
  ['image-empty', IMAGE_URL, 'an empty image_url', withChange({ image_url: '' })],
  ['image-words', IMAGE_URL, 'an image_url that is not an address', withChange({ image_url: 'a photo' })],
  ['image-http', IMAGE_URL, 'an http image_url', withUrl((url) => url.replace(/^https:/, 'http:'))],
  ['image-ftp', IMAGE_URL, 'an ftp image_url', withUrl((url) => url.replace(/^https:/, 'ftp:'))],
  ['image-host', IMAGE_URL, 'an image_url on a host that is not allowed', withHost(() => NO_STORAGE)],
  [
    'image-host-begins',
    IMAGE_URL,
    'an image_url whose host has an allowed one as prefix',
    withHost((host) => `${host}.${NO_STORAGE}`),
  ],
  [
    'image-host-user',
    IMAGE_URL,
    'an image_url with an allowed host as user name',
    withHost((host) => `${host}@${NO_STORAGE}`),
  ],
  ['priority-word', PRIORITY, 'an unknown priority', withChange({ priority: 'urgent' })],
  ['priority-number', PRIORITY, 'a priority that is not a string', withChange({ priority: 1 })],
  ['body-list', BODY, 'a body that is a list', (context) => predict(context, [])],
  ['body-broken', BODY, 'an invalid JSON body', postBroken],
];

export const predictRefused: readonly Check[] = invalidRequests.map(([name, cites, title, ask]) => ({
  id: `defectoscopy.predict.refuses.${name}`,
  cites,
  title: `${title} is rejected with 422 VALIDATION_ERROR`,
  run: expecting(ask, ...invalidRequest),
}));
