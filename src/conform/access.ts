import { skip } from './assertion-failure.ts';
import { type Check, oncePerRun, type RunContext, type ServiceName } from './check.ts';
import { type Expectation, expect } from './expect.ts';
import type { ProbeRequest } from './probe.ts';
import { isRecord } from './shape.ts';

export interface ProtectedEndpoint {
  readonly name: string;
  readonly method: 'get' | 'post' | 'delete';
  readonly path: string;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
}

interface Guards {
  readonly service: ServiceName;
  readonly endpoints: readonly ProtectedEndpoint[];
  readonly cites: Check['cites'];
  readonly expected: readonly Expectation[];
}

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

export function authenticationChecks(options: Guards): Check[] {
  const { service, endpoints, cites, expected } = options;
  return WRONG_CREDENTIALS.flatMap(([credential, title, ask]) =>
    endpoints.map(({ name, method, path, ...more }) => ({
      id: `${service}.access.${credential}.${name}`,
      cites,
      title: `${method.toUpperCase()} ${path} rejects ${title}`,
      run: async (context) => {
        const code = codeOf((await unauthenticated(context)).json);
        if (code === 'QUEUE_UNAVAILABLE') skip(NOT_CONFIGURED);
        if (context.token === undefined && code !== 'UNAUTHORIZED') skip('authorization is disabled');
        expect(await context.probe[method](path, { ...more, ...ask(context) }), ...expected);
      },
    })),
  );
}

const WRONG_CREDENTIALS: readonly [name: string, title: string, ask: (context: RunContext) => ProbeRequest][] = [
  ['no-token', 'no token', () => ({ as: 'without a token' })],
  ['wrong-token', 'a wrong token', ({ nonce }) => ({ token: `wrong-${nonce}`, as: 'with a wrong token' })],
  [
    'no-scheme',
    'a token without Bearer',
    ({ token = 'none' }) => ({ headers: { authorization: token }, as: 'with the token but without Bearer' }),
  ],
];

export const unconfiguredCheck = (options: Guards): Check => ({
  id: `${options.service}.access.unconfigured`,
  cites: options.cites,
  title: 'without configured tokens the task endpoints return QUEUE_UNAVAILABLE',
  run: async (context) => {
    if (codeOf((await unauthenticated(context)).json) !== 'QUEUE_UNAVAILABLE')
      skip('tokens are configured or not required');
    for (const { method, path, ...more } of options.endpoints) {
      expect(await context.probe[method](path, { ...more, ...withToken(context) }), ...options.expected);
    }
  },
});

export function codeOf(json: unknown): unknown {
  const error = isRecord(json) ? json['error'] : undefined;
  return isRecord(error) ? error['code'] : undefined;
}
