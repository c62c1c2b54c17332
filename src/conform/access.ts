import { skip } from './assertion-failure.ts';
import { type Check, oncePerRun, type RunContext, type ServiceName } from './check.ts';
import { type Expectation, expect, expecting } from './expect.ts';
import type { ProbeRequest } from './probe.ts';
import { isRecord } from './shape.ts';

export type ProtectedEndpoint = readonly [
  name: string,
  method: 'get' | 'post' | 'delete',
  path: string,
  request?: ProbeRequest,
];

/** A kind of invalid credential. */
export type Credential = readonly [
  name: string,
  title: string,
  of: (context: RunContext) => ProbeRequest | Promise<ProbeRequest>,
];

export const unknownTaskId = ({ nonce }: RunContext) => `conform-no-such-task-${nonce}`;

export const withToken = ({ token }: RunContext) => ({
  token,
  as: token === undefined ? 'without a token' : 'with the token',
});

const unauthenticated = oncePerRun((context) =>
  context.probe.get(`/result/${unknownTaskId(context)}`, { as: 'without a token' }),
);

/** Throws `Skip` if tasks cannot be used: no token was given, or the deployment has none. */
export async function requireAccess(context: RunContext): Promise<void> {
  const code = codeOf((await unauthenticated(context)).json);
  if (code === 'QUEUE_UNAVAILABLE') skip(NOT_CONFIGURED);
  if (context.token === undefined && code === 'UNAUTHORIZED') skip('--token is missing');
}

const NOT_CONFIGURED = 'no tokens are configured or the queue is unavailable: QUEUE_UNAVAILABLE';

/** One check per invalid credential and endpoint. */
export const credentialChecks = (
  service: ServiceName,
  cites: Check['cites'],
  endpoints: readonly ProtectedEndpoint[],
  credentials: readonly Credential[],
  ...expected: readonly Expectation[]
): Check[] =>
  credentials.flatMap(([credential, title, of]) =>
    endpoints.map(([name, method, path, request]) => ({
      id: `${service}.access.${credential}.${name}`,
      cites,
      title: `${method.toUpperCase()} ${path} rejects ${title}`,
      run: expecting(
        async (context) => context.probe[method](path, { ...request, ...(await of(context)) }),
        ...expected,
      ),
    })),
  );

/** Throws `Skip` if any credential is accepted. */
async function requireAuthorization(context: RunContext): Promise<void> {
  const code = codeOf((await unauthenticated(context)).json);
  if (code === 'QUEUE_UNAVAILABLE') skip(NOT_CONFIGURED);
  if (context.token === undefined && code !== 'UNAUTHORIZED') skip('authorization is disabled');
}

const credential = (name: string, title: string, of: (context: RunContext) => ProbeRequest): Credential => [
  name,
  title,
  async (context) => {
    await requireAuthorization(context);
    return of(context);
  },
];

export const WRONG_TOKENS: readonly Credential[] = [
  credential('no-token', 'no token', () => ({ as: 'without a token' })),
  credential('wrong-token', 'a wrong token', ({ nonce }) => ({ token: `wrong-${nonce}`, as: 'with a wrong token' })),
  credential('no-scheme', 'a token without Bearer', ({ token = 'none' }) => ({
    headers: { authorization: token },
    as: 'with the token but without Bearer',
  })),
];

export const unconfiguredCheck = (
  service: ServiceName,
  cites: Check['cites'],
  endpoints: readonly ProtectedEndpoint[],
  ...expected: readonly Expectation[]
): Check => ({
  id: `${service}.access.unconfigured`,
  cites,
  title: 'without configured tokens the task endpoints return QUEUE_UNAVAILABLE',
  run: async (context) => {
    if (codeOf((await unauthenticated(context)).json) !== 'QUEUE_UNAVAILABLE')
      skip('tokens are configured or not required');
    for (const [, method, path, request] of endpoints)
      expect(await context.probe[method](path, { ...request, ...withToken(context) }), ...expected);
  },
});

export function codeOf(json: unknown): unknown {
  const error = isRecord(json) ? json['error'] : undefined;
  return isRecord(error) ? error['code'] : undefined;
}
