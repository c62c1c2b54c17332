import { credentialChecks, type ProtectedEndpoint, unconfiguredCheck, WRONG_TOKENS } from '../access.ts';
import type { Check } from '../check.ts';
import { clientError, error, that } from '../expect.ts';
import { openapiCheck } from '../openapi.ts';
import { rateLimited } from '../rate-limit.ts';
import { sttAccepted } from './accept.ts';
import { sttRefused } from './rejections.ts';
import { sttResult } from './result.ts';

const ENDPOINTS: readonly ProtectedEndpoint[] = [
  ['transcribe', 'post', '/transcribe/audio_url', { json: { url: 'https://conform.invalid/note.mp3' } }],
  ['result', 'get', '/result/conform-no-such-task'],
];

const REJECTED = ['5.2', 'missing or wrong token gives `UNAUTHORIZED`'] as const;
const UNCONFIGURED = [
  '5.2',
  'When the canonical set of tokens is not configured, both endpoints answer `QUEUE_UNAVAILABLE`.',
] as const;

const limit: Check = {
  id: 'stt.limit',
  cites: ['4.2', 'with header `Retry-After` string = seconds after which a retry is safe'],
  title: 'requests above the rate limit return 429 RATE_LIMIT_EXCEEDED with Retry-After in seconds',
  run: rateLimited(
    that(({ headers }) => /^\d+$/.test(headers.get('retry-after') ?? ''), 'the header Retry-After in seconds'),
  ),
};

export const sttChecks: readonly Check[] = [
  openapiCheck('stt'),
  ...credentialChecks('stt', REJECTED, ENDPOINTS, WRONG_TOKENS, clientError, error('UNAUTHORIZED')),
  unconfiguredCheck(
    'stt',
    UNCONFIGURED,
    ENDPOINTS,
    that(({ status }) => status >= 400, 'an error status'),
    error('QUEUE_UNAVAILABLE'),
  ),
  ...sttAccepted,
  ...sttRefused,
  ...sttResult,
  limit,
];
