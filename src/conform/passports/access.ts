import type { Check, Visit } from '../check.ts';
import { looseEnvelope, refused } from '../expect.ts';
import type { Ask } from '../probe.ts';
import { NOBODYS, token } from './steps.ts';

/** The endpoints that are documented with an `Authorization` header (5.3), each with a request that would change nothing. */
const GUARDED: readonly { name: string; method: 'get' | 'post' | 'delete'; path: string; ask?: Ask }[] = [
  { name: 'update', method: 'post', path: `/task/${NOBODYS}/update`, ask: { form: { 'general:address': 'x' } } },
  { name: 'delete', method: 'delete', path: `/task/${NOBODYS}` },
  { name: 'rename', method: 'post', path: `/task/${NOBODYS}/rename`, ask: { form: { name: 'x' } } },
  { name: 'retry', method: 'post', path: `/api/task/${NOBODYS}/retry` },
  { name: 'excel', method: 'get', path: `/export/${NOBODYS}/excel` },
  { name: 'pdf', method: 'get', path: `/export/${NOBODYS}/pdf` },
  // Out of bounds, so that it deletes nothing even where the token is not looked at.
  { name: 'cleanup', method: 'post', path: '/admin/cleanup?days=366' },
  { name: 'health', method: 'get', path: '/health/deep' },
];

const RULE = [
  '5.3',
  'Expired or missing token gives the unauthorized response ("not authorized or token expired").',
] as const;

const ways: readonly { name: string; title: string; ask: (visit: Visit) => Promise<Ask> }[] = [
  { name: 'no-token', title: 'no token', ask: async () => ({ as: 'without a token' }) },
  {
    name: 'wrong-token',
    title: 'a token of another signature',
    ask: async (visit) => ({ token: forged(await token(visit)), as: 'with a token of another signature' }),
  },
];

export const accessChecks: readonly Check[] = ways.flatMap((way) =>
  GUARDED.map(({ name, method, path, ask }) => ({
    id: `passports.access.${way.name}.${name}`,
    cites: RULE,
    title: `${way.title} does not open ${method.toUpperCase()} ${path.replace(NOBODYS, '{task_id}')}`,
    run: async (visit) => {
      const answer = await visit.probe[method](path, { ...ask, ...(await way.ask(visit)) });
      refused(answer);
      looseEnvelope(answer);
    },
  })),
);

/** The same claims with a signature that nobody made. */
function forged(jwt: string): string {
  const [header, claims] = jwt.split('.');
  return `${header}.${claims}.${Buffer.alloc(32, 7).toString('base64url')}`;
}
