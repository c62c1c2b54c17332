import { authenticationChecks, type ProtectedEndpoint, unconfiguredCheck } from '../access.ts';
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

const tasks: readonly ProtectedEndpoint[] = [
  {
    name: 'predict',
    method: 'post',
    path: '/predict',
    json: { image_url: 'https://conform.invalid/photo.jpg', priority: 'realtime' },
  },
  { name: 'result', method: 'get', path: '/result/conform-no-such-task' },
];

const access = authenticationChecks({
  service: 'defectoscopy',
  cites: ['5.1', 'Missing or wrong token: 401 `UNAUTHORIZED`.'],
  endpoints: [
    { name: 'classes-defects', method: 'get', path: '/classes/defects' },
    { name: 'classes-surfaces', method: 'get', path: '/classes/surfaces' },
    ...tasks,
  ],
  expected: [status(401), error('UNAUTHORIZED')],
});

const unconfigured = unconfiguredCheck({
  service: 'defectoscopy',
  cites: [
    '5.1',
    'When the canonical token set is not configured, token-protected task endpoints answer 503 `QUEUE_UNAVAILABLE`.',
  ],
  endpoints: tasks,
  expected: [status(503), error('QUEUE_UNAVAILABLE')],
});

const limit: Check = {
  id: 'defectoscopy.limit',
  cites: ['8', 'exceeding gives 429 `RATE_LIMIT_EXCEEDED`'],
  title: 'requests above the rate limit return 429 RATE_LIMIT_EXCEEDED',
  run: rateLimited(),
};

export const defectoscopyChecks: readonly Check[] = [
  ...reference,
  ...model,
  ...access,
  unconfigured,
  ...predictAccepted,
  ...predictRefused,
  ...webhookUrl,
  ...result,
  ...webhook,
  limit,
];
