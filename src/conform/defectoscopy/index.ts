import { type Guarded, guardedChecks, unconfiguredCheck } from '../access.ts';
import type { Check } from '../check.ts';
import { envelope, status } from '../expect.ts';
import { flooded } from '../flood.ts';
import { model } from './model.ts';
import { predictAccepted } from './predict.ts';
import { reference } from './reference.ts';
import { predictRefused } from './refusals.ts';
import { result } from './result.ts';
import { webhook } from './webhook.ts';
import { webhookUrl } from './webhook-url.ts';

const tasks: readonly Guarded[] = [
  {
    name: 'predict',
    method: 'post',
    path: '/predict',
    json: { image_url: 'https://conform.invalid/photo.jpg', priority: 'realtime' },
  },
  { name: 'result', method: 'get', path: '/result/conform-no-such-task' },
];

const access = guardedChecks({
  service: 'defectoscopy',
  cites: ['5.1', 'Missing or wrong token: 401 `UNAUTHORIZED`.'],
  endpoints: [
    { name: 'classes-defects', method: 'get', path: '/classes/defects' },
    { name: 'classes-surfaces', method: 'get', path: '/classes/surfaces' },
    ...tasks,
  ],
  refused: (answer) => {
    status(answer, 401);
    envelope(answer, 'UNAUTHORIZED');
  },
});

const unconfigured = unconfiguredCheck({
  service: 'defectoscopy',
  cites: [
    '5.1',
    'When the canonical token set is not configured, token-protected task endpoints answer 503 `QUEUE_UNAVAILABLE`.',
  ],
  endpoints: tasks,
  refused: (answer) => {
    status(answer, 503);
    envelope(answer, 'QUEUE_UNAVAILABLE');
  },
});

const limit: Check = {
  id: 'defectoscopy.limit',
  cites: ['8', 'exceeding gives 429 `RATE_LIMIT_EXCEEDED`'],
  title: 'over the limit of requests the answer is 429 RATE_LIMIT_EXCEEDED',
  run: async (visit) => {
    const answer = await flooded(visit);
    status(answer, 429);
    envelope(answer, 'RATE_LIMIT_EXCEEDED');
  },
};

/** Sections 2.2, 3.1, 4.1, 5.1 and 6.1; what reaches the limit comes last. */
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
