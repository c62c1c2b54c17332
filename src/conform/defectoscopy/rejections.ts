import { requireAccess, withToken } from '../access.ts';
import { skip } from '../assertion-failure.ts';
import type { Check, RunContext } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { assertErrorEnvelope, assertStatus } from '../expect.ts';
import { imageUrl, predict, predictImage } from './steps.ts';

export function assertInvalidRequest(response: Exchange): void {
  assertStatus(response, 422);
  assertErrorEnvelope(response, 'VALIDATION_ERROR');
}

const IMAGE_URL = [
  '2.2',
  'required; scheme must be `https://`; host must be one of two allow-listed object-storage hosts',
] as const;
const NO_STORAGE = 'conform.invalid';

interface InvalidRequest {
  readonly name: string;
  readonly title: string;
  readonly ask: (context: RunContext) => Promise<Exchange>;
  readonly cites?: Check['cites'];
}

const invalidRequests: readonly InvalidRequest[] = [
  { name: 'no-image', title: 'no image_url', ask: (context) => predict(context, { priority: 'realtime' }) },
  {
    name: 'image-number',
    title: 'an image_url that is a number',
    ask: (context) => predictImage(context, { image_url: 17 }),
  },
  {
    name: 'image-null',
    title: 'an image_url that is null',
    ask: (context) => predictImage(context, { image_url: null }),
  },
  { name: 'image-empty', title: 'an empty image_url', ask: (context) => predictImage(context, { image_url: '' }) },
  {
    name: 'image-words',
    title: 'an image_url that is not an address',
    ask: (context) => predictImage(context, { image_url: 'a photo' }),
  },
  {
    name: 'image-http',
    title: 'an http image_url',
    ask: (context) => predictWithChangedUrl(context, (url) => `http:${url.slice(6)}`),
  },
  {
    name: 'image-ftp',
    title: 'an ftp image_url',
    ask: (context) => predictWithChangedUrl(context, (url) => `ftp:${url.slice(6)}`),
  },
  {
    name: 'image-host',
    title: 'an image_url on a host that is not allowed',
    ask: (context) => predictWithChangedUrl(context, (url) => url.replace(new URL(url).host, NO_STORAGE)),
  },
  {
    name: 'image-host-begins',
    title: 'an image_url whose host has an allowed one as prefix',
    ask: (context) =>
      predictWithChangedUrl(context, (url) => url.replace(new URL(url).host, (host) => `${host}.${NO_STORAGE}`)),
  },
  {
    name: 'image-host-user',
    title: 'an image_url with an allowed host as user name',
    ask: (context) =>
      predictWithChangedUrl(context, (url) => url.replace(new URL(url).host, (host) => `${host}@${NO_STORAGE}`)),
  },
  {
    name: 'priority-word',
    title: 'an unknown priority',
    cites: ['2.2', 'allowed values `realtime`, `batch`'],
    ask: (context) => predictImage(context, { priority: 'urgent' }),
  },
  {
    name: 'priority-number',
    title: 'a priority that is not a string',
    cites: ['2.2', 'allowed values `realtime`, `batch`'],
    ask: (context) => predictImage(context, { priority: 1 }),
  },
  {
    name: 'body-list',
    title: 'a body that is a list',
    cites: ['7', 'invalid request parameters'],
    ask: (context) => predict(context, []),
  },
  {
    name: 'body-broken',
    title: 'an invalid JSON body',
    cites: ['7', 'invalid request parameters'],
    ask: async (context) => {
      await requireAccess(context);
      const headers = { 'content-type': 'application/json' };
      return context.probe.post('/predict', { ...withToken(context), headers, body: '{"image_url":' });
    },
  },
];

async function predictWithChangedUrl(context: RunContext, change: (url: string) => string): Promise<Exchange> {
  const url = await imageUrl(context);
  if (!url.startsWith('https://')) skip('--image-url is not an https address');
  return predictImage(context, { image_url: change(url) });
}

export const predictRefused: readonly Check[] = invalidRequests.map(({ name, title, ask, cites = IMAGE_URL }) => ({
  id: `defectoscopy.predict.refuses.${name}`,
  cites,
  title: `${title} is rejected with 422 VALIDATION_ERROR`,
  run: async (context) => assertInvalidRequest(await ask(context)),
}));
