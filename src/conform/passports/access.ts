import type { Check, Visit } from '../check.ts';
import { looseEnvelope, refused } from '../expect.ts';
import type { Ask } from '../probe.ts';
import { NOBODYS, token } from './steps.ts';

/** Endpoints that require authorization (5.3), with requests that change nothing. */
const GUARDED: readonly { name: string; method: 'get' | 'post' | 'delete'; path: string; ask?: Ask }[] = [
  { name: 'update', method: 'post', path: `/task/${NOBODYS}/update`, ask: { form: { 'general:address': 'x' } } },
  { name: 'delete', method: 'delete', path: `/task/${NOBODYS}` },
  { name: 'rename', method: 'post', path: `/task/${NOBODYS}/rename`, ask: { form: { name: 'x' } } },
  { name: 'retry', method: 'post', path: `/api/task/${NOBODYS}/retry` },
  { name: 'excel', method: 'get', path: `/export/${NOBODYS}/excel` },
  { name: 'pdf', method: 'get', path: `/export/${NOBODYS}/pdf` },
  // Invalid, so that it deletes nothing even without an authorization check.
  { name: 'cleanup', method: 'post', path: '/admin/cleanup?days=366' },
  { name: 'health', method: 'get', path: '/health/deep' },
];

const RULE = [
  '5.3',
  'Expired or missing token gives the unauthorized response ("not authorized or token expired").',
] as const;

const cases: readonly { name: string; title: string; ask: (context: Visit) => Promise<Ask> }[] = [
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
    title: `${method.toUpperCase()} ${path.replace(NOBODYS, '{task_id}')} rejects ${credential.title}`,
    run: async (context) => {
      const response = await context.probe[method](path, { ...ask, ...(await credential.ask(context)) });
      refused(response);
      looseEnvelope(response);
    },
  })),
);

function forged(jwt: string): string {
  const [header, claims] = jwt.split('.');
  return `${header}.${claims}.${Buffer.alloc(32, 7).toString('base64url')}`;
}
