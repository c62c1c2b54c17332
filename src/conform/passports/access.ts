import type { Check, RunContext } from '../check.ts';
import { expecting, rejection } from '../expect.ts';
import type { ProbeRequest } from '../probe.ts';
import { token, UNKNOWN_ID } from './steps.ts';

/** Endpoints that require authorization (5.3), with requests that change nothing. */
const GUARDED: readonly (readonly [
  name: string,
  method: 'get' | 'post' | 'delete',
  path: string,
  ask?: ProbeRequest,
])[] = [
  ['update', 'post', `/task/${UNKNOWN_ID}/update`, { form: { 'general:address': 'x' } }],
  ['delete', 'delete', `/task/${UNKNOWN_ID}`],
  ['rename', 'post', `/task/${UNKNOWN_ID}/rename`, { form: { name: 'x' } }],
  ['retry', 'post', `/api/task/${UNKNOWN_ID}/retry`],
  ['excel', 'get', `/export/${UNKNOWN_ID}/excel`],
  ['pdf', 'get', `/export/${UNKNOWN_ID}/pdf`],
  // Invalid, so that it deletes nothing even without an authorization check.
  ['cleanup', 'post', '/admin/cleanup?days=366'],
  ['health', 'get', '/health/deep'],
];

const RULE = [
  '5.3',
  'Expired or missing token gives the unauthorized response ("not authorized or token expired").',
] as const;

type Credential = (context: RunContext) => Promise<ProbeRequest>;

const WRONG: readonly (readonly [name: string, title: string, credential: Credential])[] = [
  ['no-token', 'no token', async () => ({ as: 'without a token' })],
  [
    'wrong-token',
    'a token with a wrong signature',
    async (context) => ({ token: forged(await token(context)), as: 'with a token with a wrong signature' }),
  ],
];

export const accessChecks: readonly Check[] = WRONG.flatMap(([wrong, title, credential]) =>
  GUARDED.map(([name, method, path, ask]) => ({
    id: `passports.access.${wrong}.${name}`,
    cites: RULE,
    title: `${method.toUpperCase()} ${path.replace(UNKNOWN_ID, '{task_id}')} rejects ${title}`,
    run: expecting(
      async (context) => context.probe[method](path, { ...ask, ...(await credential(context)) }),
      rejection,
    ),
  })),
);

function forged(jwt: string): string {
  const [header, claims] = jwt.split('.');
  return `${header}.${claims}.${Buffer.alloc(32, 7).toString('base64url')}`;
}
