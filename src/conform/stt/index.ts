import { type Guarded, guardedChecks, unconfiguredCheck } from '../access.ts';
import type { Check } from '../check.ts';
import { envelope, holds, refused, status } from '../expect.ts';
import { flooded } from '../flood.ts';
import { openapiCheck } from '../openapi.ts';
import { sttAccepted } from './accept.ts';
import { sttRefused } from './refusals.ts';
import { sttResult } from './result.ts';

const endpoints: readonly Guarded[] = [
  {
    name: 'transcribe',
    method: 'post',
    path: '/transcribe/audio_url',
    json: { url: 'https://conform.invalid/note.mp3' },
  },
  { name: 'result', method: 'get', path: '/result/conform-no-such-task' },
];

const access = guardedChecks({
  service: 'stt',
  cites: ['5.2', 'missing or wrong token gives `UNAUTHORIZED`'],
  endpoints,
  refused: (response) => {
    refused(response);
    envelope(response, 'UNAUTHORIZED');
  },
});

const unconfigured = unconfiguredCheck({
  service: 'stt',
  cites: ['5.2', 'When the canonical set of tokens is not configured, both endpoints answer `QUEUE_UNAVAILABLE`.'],
  endpoints,
  refused: (response) => {
    refused(response);
    envelope(response, 'QUEUE_UNAVAILABLE');
  },
});

const limit: Check = {
  id: 'stt.limit',
  cites: ['4.2', 'with header `Retry-After` string = seconds after which a retry is safe'],
  title: 'requests above the rate limit return 429 RATE_LIMIT_EXCEEDED with Retry-After in seconds',
  run: async (context) => {
    const response = await flooded(context);
    status(response, 429);
    envelope(response, 'RATE_LIMIT_EXCEEDED');
    holds(response, /^\d+$/.test(response.headers.get('retry-after') ?? ''), 'the header Retry-After in seconds');
  },
};

export const sttChecks: readonly Check[] = [
  openapiCheck('stt'),
  ...access,
  unconfigured,
  ...sttAccepted,
  ...sttRefused,
  ...sttResult,
  limit,
];
