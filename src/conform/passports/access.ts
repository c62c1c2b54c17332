import { type Credential, codeOf, type ProtectedEndpoint } from '../access.ts';
import type { Check } from '../check.ts';
import { assertThat, checks, expect, rejection } from '../expect.ts';
import { token, UNKNOWN_ID, withToken } from './steps.ts';

/** Endpoints that require authorization (5.3), with requests that change nothing. */
const GUARDED: readonly ProtectedEndpoint[] = [
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

const WRONG_TOKENS: readonly Credential[] = [
  ['no-token', 'no token', () => ({ as: 'without a token' })],
  [
    'wrong-token',
    'a token with a wrong signature',
    async (context) => ({ token: forged(await token(context)), as: 'with a token with a wrong signature' }),
  ],
];

// Compared with the response to a valid token, because an endpoint without authorization rejects an unknown task too.
export const accessChecks: readonly Check[] = checks(
  'passports.access',
  WRONG_TOKENS.flatMap(([credential, title, of]) =>
    GUARDED.map(([name, method, path, request]) => [
      `${credential}.${name}`,
      RULE,
      `${method.toUpperCase()} ${path.replace(UNKNOWN_ID, '{task_id}')} rejects ${title}`,
      async (context) => {
        const rejected = await context.probe[method](path, { ...request, ...(await of(context)) });
        expect(rejected, rejection);
        const authorized = await context.probe[method](path, { ...request, ...(await withToken(context)) });
        const isSame = rejected.status === authorized.status && codeOf(rejected.json) === codeOf(authorized.json);
        assertThat(rejected, !isSame, 'another error than with a valid token');
      },
    ]),
  ),
);

function forged(jwt: string): string {
  const [header, claims] = jwt.split('.');
  return `${header}.${claims}.${Buffer.alloc(32, 7).toString('base64url')}`;
}
