import type { Check, RunContext } from '../check.ts';
import { assertErrorStatus, assertLooseErrorEnvelope } from '../expect.ts';
import type { ProbeRequest } from '../probe.ts';
import { token, UNKNOWN_ID } from './steps.ts';

/** Endpoints that require authorization (5.3), with requests that change nothing. */
const GUARDED: readonly { name: string; method: 'get' | 'post' | 'delete'; path: string; ask?: ProbeRequest }[] = [
  { name: 'update', method: 'post', path: `/task/${UNKNOWN_ID}/update`, ask: { form: { 'general:address': 'x' } } },
  { name: 'delete', method: 'delete', path: `/task/${UNKNOWN_ID}` },
  { name: 'rename', method: 'post', path: `/task/${UNKNOWN_ID}/rename`, ask: { form: { name: 'x' } } },
  { name: 'retry', method: 'post', path: `/api/task/${UNKNOWN_ID}/retry` },
  { name: 'excel', method: 'get', path: `/export/${UNKNOWN_ID}/excel` },
  { name: 'pdf', method: 'get', path: `/export/${UNKNOWN_ID}/pdf` },
  // Invalid, so that it deletes nothing even without an authorization check.
  { name: 'cleanup', method: 'post', path: '/admin/cleanup?days=366' },
  { name: 'health', method: 'get', path: '/health/deep' },
];

const RULE = [
  '5.3',
  'Expired or missing token gives the unauthorized response ("not authorized or token expired").',
] as const;

const cases: readonly { name: string; title: string; ask: (context: RunContext) => Promise<ProbeRequest> }[] = [
  { name: 'no-token', title: 'no token', ask: async () => ({ as: 'without a token' }) },
  {
    name: 'wrong-token',
    title: 'a token with a wrong signature',
    ask: async (context) => ({ token: forged(await token(context)), as: 'with a token with a wrong signature' }),
  },
];

export const accessChecks: readonly Check[] = cases.flatMap((credential) =>
  GUARDED.map(({ name, method, path, ask }) => ({
    id: `passports.access.${credential.name}.${name}`,
    cites: RULE,
    title: `${method.toUpperCase()} ${path.replace(UNKNOWN_ID, '{task_id}')} rejects ${credential.title}`,
    run: async (context) => {
      const response = await context.probe[method](path, { ...ask, ...(await credential.ask(context)) });
      assertErrorStatus(response);
      assertLooseErrorEnvelope(response);
    },
  })),
);

function forged(jwt: string): string {
  const [header, claims] = jwt.split('.');
  return `${header}.${claims}.${Buffer.alloc(32, 7).toString('base64url')}`;
}
