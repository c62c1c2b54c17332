import { credentialChecks, type ProtectedEndpoint, unconfiguredCheck, WRONG_TOKENS } from '../access.ts';
import type { Check } from '../check.ts';
import { error, status } from '../expect.ts';
import { rateLimited } from '../rate-limit.ts';
import { model } from './model.ts';
import { predictAccepted } from './predict.ts';
import { reference } from './reference.ts';
import { predictRefused } from './rejections.ts';
import { result } from './result.ts';
import { webhook } from './webhook.ts';
import { webhookUrl } from './webhook-url.ts';

const predict = { json: { image_url: 'https://conform.invalid/photo.jpg', priority: 'realtime' } };
const TASK_ENDPOINTS: readonly ProtectedEndpoint[] = [
  ['predict', 'post', '/predict', predict],
  ['result', 'get', '/result/conform-no-such-task'],
];
const ENDPOINTS: readonly ProtectedEndpoint[] = [
  ['classes-defects', 'get', '/classes/defects'],
  ['classes-surfaces', 'get', '/classes/surfaces'],
  ...TASK_ENDPOINTS,
];

const REJECTED = ['5.1', 'Missing or wrong token: 401 `UNAUTHORIZED`.'] as const;
const UNCONFIGURED = [
  '5.1',
  'When the canonical token set is not configured, token-protected task endpoints answer 503 `QUEUE_UNAVAILABLE`.',
] as const;

export const defectoscopyChecks: readonly Check[] = [
  ...reference,
  ...model,
  ...credentialChecks('defectoscopy', REJECTED, ENDPOINTS, WRONG_TOKENS, status(401), error('UNAUTHORIZED')),
  unconfiguredCheck('defectoscopy', UNCONFIGURED, TASK_ENDPOINTS, status(503), error('QUEUE_UNAVAILABLE')),
  ...predictAccepted,
  ...predictRefused,
  ...webhookUrl,
  ...result,
  ...webhook,
  {
    id: 'defectoscopy.limit',
    cites: ['8', 'exceeding gives 429 `RATE_LIMIT_EXCEEDED`'],
    title: 'requests above the rate limit return 429 RATE_LIMIT_EXCEEDED',
    run: rateLimited(),
  },
];
