import { admitted, asOwner } from '../access.ts';
import { skip } from '../breach.ts';
import type { Check, Visit } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { envelope, status } from '../expect.ts';
import { imageUrl, predict, predictImage } from './steps.ts';

/** 422 `VALIDATION_ERROR` for whatever this is. */
export function invalid(answer: Exchange): void {
  status(answer, 422);
  envelope(answer, 'VALIDATION_ERROR');
}

const IMAGE_URL = [
  '2.2',
  'required; scheme must be `https://`; host must be one of two allow-listed object-storage hosts',
] as const;
const NO_STORAGE = 'conform.invalid';

interface Wrong {
  readonly name: string;
  readonly title: string;
  /** The request, made from one that is as it should be where there is one. */
  readonly ask: (visit: Visit) => Promise<Exchange>;
  readonly cites?: Check['cites'];
}

const wrongs: readonly Wrong[] = [
  { name: 'no-image', title: 'no image_url', ask: (visit) => predict(visit, { priority: 'realtime' }) },
  {
    name: 'image-number',
    title: 'an image_url that is a number',
    ask: (visit) => predictImage(visit, { image_url: 17 }),
  },
  { name: 'image-null', title: 'an image_url that is null', ask: (visit) => predictImage(visit, { image_url: null }) },
  { name: 'image-empty', title: 'an empty image_url', ask: (visit) => predictImage(visit, { image_url: '' }) },
  {
    name: 'image-words',
    title: 'an image_url that is no address',
    ask: (visit) => predictImage(visit, { image_url: 'a photo' }),
  },
  { name: 'image-http', title: 'an image by http', ask: (visit) => elsewhere(visit, (url) => `http:${url.slice(6)}`) },
  { name: 'image-ftp', title: 'an image by ftp', ask: (visit) => elsewhere(visit, (url) => `ftp:${url.slice(6)}`) },
  {
    name: 'image-host',
    title: 'an image on a host that is not allow-listed',
    ask: (visit) => elsewhere(visit, (url) => url.replace(new URL(url).host, NO_STORAGE)),
  },
  {
    name: 'image-host-begins',
    title: 'an image on a host whose name only begins like an allowed one',
    ask: (visit) => elsewhere(visit, (url) => url.replace(new URL(url).host, (host) => `${host}.${NO_STORAGE}`)),
  },
  {
    name: 'image-host-user',
    title: 'an image whose allowed host is only the user name of another',
    ask: (visit) => elsewhere(visit, (url) => url.replace(new URL(url).host, (host) => `${host}@${NO_STORAGE}`)),
  },
  {
    name: 'priority-word',
    title: 'a priority that is none',
    cites: ['2.2', 'allowed values `realtime`, `batch`'],
    ask: (visit) => predictImage(visit, { priority: 'urgent' }),
  },
  {
    name: 'priority-number',
    title: 'a priority that is no string',
    cites: ['2.2', 'allowed values `realtime`, `batch`'],
    ask: (visit) => predictImage(visit, { priority: 1 }),
  },
  {
    name: 'body-list',
    title: 'a body that is a list',
    cites: ['7', 'invalid request parameters'],
    ask: (visit) => predict(visit, []),
  },
  {
    name: 'body-broken',
    title: 'a body that is no JSON',
    cites: ['7', 'invalid request parameters'],
    ask: async (visit) => {
      await admitted(visit);
      const headers = { 'content-type': 'application/json' };
      return visit.probe.post('/predict', { ...asOwner(visit), headers, body: '{"image_url":' });
    },
  },
];

async function elsewhere(visit: Visit, change: (url: string) => string): Promise<Exchange> {
  const url = await imageUrl(visit);
  if (!url.startsWith('https://')) skip('the --image-url is no https address');
  return predictImage(visit, { image_url: change(url) });
}

/** A request that is not as it should be is refused, for each way in which it may be wrong. */
export const predictRefused: readonly Check[] = wrongs.map(({ name, title, ask, cites = IMAGE_URL }) => ({
  id: `defectoscopy.predict.refuses.${name}`,
  cites,
  title: `${title} is refused: 422 VALIDATION_ERROR`,
  run: async (visit) => invalid(await ask(visit)),
}));
