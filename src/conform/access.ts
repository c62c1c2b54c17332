import { skip } from './breach.ts';
import { type Check, type ServiceName, step, type Visit } from './check.ts';
import type { Exchange } from './exchange.ts';
import { isRecord } from './shape.ts';

/** An endpoint that asks for a bearer token. */
export interface Guarded {
  /** In the check's id. */
  readonly name: string;
  readonly method: 'get' | 'post' | 'delete';
  readonly path: string;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
}

interface Guards {
  readonly service: ServiceName;
  readonly endpoints: readonly Guarded[];
  readonly cites: Check['cites'];
  /** What is expected of the refusal. */
  readonly refused: (answer: Exchange) => void;
}

/** An id that no task has. */
export const nobodys = ({ nonce }: Visit) => `conform-no-such-task-${nonce}`;

/** What the token opens, as every request of a visitor with one is sent. */
export const asOwner = ({ token }: Visit) => ({
  token,
  as: token === undefined ? 'without a token' : 'with the token',
});

/** What stands at the door of the task endpoints: how one without a token is answered. */
const door = step((visit) => visit.probe.get(`/result/${nobodys(visit)}`, { as: 'without a token' }));

/** Throws a `Skip` where nothing can be created or read: no token was given, or the deployment has none. */
export async function admitted(visit: Visit): Promise<void> {
  const code = codeOf((await door(visit)).json);
  if (code === 'QUEUE_UNAVAILABLE') skip(CLOSED);
  if (visit.token === undefined && code === 'UNAUTHORIZED') skip('no --token was given');
}

const CLOSED = 'no tokens are configured here, or there is no queue: QUEUE_UNAVAILABLE';

/** For each endpoint: a token that is missing, or wrong, opens nothing. */
export function guardedChecks(needs: Guards): Check[] {
  const { service, endpoints, cites, refused } = needs;
  const ways = [
    { name: 'no-token', title: 'no token', ask: () => ({ as: 'without a token' }) },
    {
      name: 'wrong-token',
      title: 'a wrong token',
      ask: ({ nonce }: Visit) => ({ token: `wrong-${nonce}`, as: 'with a wrong token' }),
    },
    {
      name: 'no-scheme',
      title: 'the token without the word Bearer',
      ask: ({ token = 'none' }: Visit) => ({
        headers: { authorization: token },
        as: 'with the token, but without the word Bearer',
      }),
    },
  ];
  return ways.flatMap((way) =>
    endpoints.map(({ name, method, path, ...more }) => ({
      id: `${service}.access.${way.name}.${name}`,
      cites,
      title: `${way.title} does not open ${method.toUpperCase()} ${path}`,
      run: async (visit) => {
        const code = codeOf((await door(visit)).json);
        // 5.1: none was ever made, or both settings are empty. Whoever has a token to give says that it is neither.
        if (code === 'QUEUE_UNAVAILABLE') skip(CLOSED);
        if (visit.token === undefined && code !== 'UNAUTHORIZED') skip('authorization is disabled here');
        refused(await visit.probe[method](path, { ...more, ...way.ask(visit) }));
      },
    })),
  );
}

/** Where no tokens are configured, the endpoints of tasks say so. */
export const unconfiguredCheck = (needs: Guards): Check => ({
  id: `${needs.service}.access.unconfigured`,
  cites: needs.cites,
  title: 'where no tokens are configured, the endpoints of tasks answer QUEUE_UNAVAILABLE',
  run: async (visit) => {
    if (codeOf((await door(visit)).json) !== 'QUEUE_UNAVAILABLE')
      skip('tokens are configured here, or none are needed');
    for (const { method, path, ...more } of needs.endpoints) {
      needs.refused(await visit.probe[method](path, { ...more, ...asOwner(visit) }));
    }
  },
});

/** The `error.code` of a body that has one. */
export function codeOf(json: unknown): unknown {
  const error = isRecord(json) ? json['error'] : undefined;
  return isRecord(error) ? error['code'] : undefined;
}
