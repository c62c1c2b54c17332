import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ProxyRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface ProxyResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** As a status: the connection closes without a response. */
export const LOST = 0;

/** A deviation of the deployment from the specification. */
export interface Deviation {
  readonly in?: (request: ProxyRequest) => Partial<ProxyRequest> | undefined;
  readonly out?: (response: ProxyResponse, request: ProxyRequest) => Partial<ProxyResponse> | undefined;
  /** Changes the headers of a callback, which is routed through the proxy. */
  readonly callback?: Readonly<Record<string, string>>;
}

/** Title, id of the check that must detect the deviation, deviation. */
export type Deviations = [title: string, id: string, breach: Deviation][];

const matchesRoute = (route: string, { method, path }: ProxyRequest) => `${method} ${path}`.startsWith(route);

/** Changes responses with `status` on routes that start with `route`. */
export const changeResponses = (route: string, status: number, change: Partial<ProxyResponse>): Deviation => ({
  out: (response, request) => (matchesRoute(route, request) && response.status === status ? change : undefined),
});

export const editJson = (route: string, edit: (body: any) => unknown): Deviation =>
  editJsonWhere(route, isSuccess, edit);

export const editErrors = (route: string, edit: (body: any) => unknown): Deviation =>
  editJsonWhere(route, (response) => !isSuccess(response), edit);

const isSuccess = ({ status }: ProxyResponse) => status < 300;

const editJsonWhere = (
  route: string,
  isMeant: (response: ProxyResponse) => boolean,
  edit: (body: any) => unknown,
): Deviation => ({
  out: (response, request) => {
    const { headers, body } = response;
    if (!matchesRoute(route, request) || !isMeant(response) || !headers['content-type']?.includes('json'))
      return undefined;
    const json = JSON.parse(body.toString('utf8'));
    edit(json);
    return { body: Buffer.from(JSON.stringify(json)) };
  },
});

/** Changes the request body, so that the deployment accepts invalid input or loses data. */
export const changeRequestText = (route: string, change: (text: string) => string): Deviation => ({
  in: (request) => {
    if (!matchesRoute(route, request)) return undefined;
    const body = Buffer.from(change(request.body.toString('utf8')));
    return { body, headers: { ...request.headers, 'content-length': String(body.length) } };
  },
});

export const authenticateAs = (route: string, token: string): Deviation => ({
  in: (request) =>
    matchesRoute(route, request) ? { headers: { ...request.headers, authorization: `Bearer ${token}` } } : undefined,
});

/** Edits the JSON of responses after the first request to the `after` route. */
export const editJsonAfter = (after: string, route: string, edit: (body: any) => unknown): Deviation =>
  applyAfter(after, editJson(route, edit));

/** Changes the responses of the route after the first request to the `after` route. */
export const respondAfter = (after: string, route: string, change: Partial<ProxyResponse>): Deviation =>
  applyAfter(after, { out: (_, request) => (matchesRoute(route, request) ? change : undefined) });

function applyAfter(after: string, { out }: Deviation): Deviation {
  let isAfter = false;
  return {
    out: (response, request) => {
      if (matchesRoute(after, request)) isAfter = true;
      return isAfter ? out?.(response, request) : undefined;
    },
  };
}

/** Rejects the requests to the route after the first one. */
export function rejectLater(route: string): Deviation {
  let count = 0;
  return {
    out: (_, request) =>
      matchesRoute(route, request) && ++count > 1 ? { status: 503, body: Buffer.from('{"ok":false}') } : undefined,
  };
}

/** A reverse proxy in front of a real deployment: transparent, or with one deviation. */
export interface FaultyProxy {
  readonly url: string;
  deviation: Deviation;
  /** Resolves after a later request was answered, so that the current state has been observed. */
  waitForLaterRequest(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const { hostname, port } = new URL(target);
  let requestCount = 0;
  // Long polls do not observe the state before the end of a task.
  let longPolls = 0;
  const waiters = new Set<{ since: number; go: () => void }>();
  const notifyWaiters = (number: number) => {
    for (const one of waiters) if (number > one.since) one.go();
  };

  const server = createServer((request, response) => {
    const number = ++requestCount;
    if (request.headers['prefer']) {
      longPolls++;
      notifyWaiters(number);
      response.once('close', () => longPolls--);
    }
    void (async () => {
      if (request.url!.startsWith(CALLBACK_PATH)) return forwardCallback(request, response, proxy.deviation.callback);
      const before: ProxyRequest = {
        method: request.method!,
        path: request.url!,
        headers: request.headers,
        body: Buffer.concat(await request.toArray()),
      };
      const { deviation } = proxy;
      const sent = {
        ...before,
        ...deviation.in?.(before),
        ...(deviation.callback && routeCallback(before, proxy.url)),
      };
      const { method, path } = sent;
      const onward = send({ hostname, port, method, path, headers: { ...sent.headers, host: `${hostname}:${port}` } });
      onward.end(sent.body);
      const [answer] = await once(onward, 'response');
      const received: ProxyResponse = {
        status: answer.statusCode,
        headers: answer.headers,
        body: Buffer.concat(await answer.toArray()),
      };
      const { status, headers, body } = { ...received, ...deviation.out?.(received, before) };
      if (status === LOST) return response.destroy();
      const { 'transfer-encoding': _, ...others } = headers;
      response.writeHead(status, { ...others, 'content-length': body.length });
      response.end(body);
      notifyWaiters(number);
    })().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const proxy: FaultyProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    deviation: {},
    waitForLaterRequest: (signal) =>
      new Promise((resolve) => {
        if (longPolls > 0) return resolve();
        const one = { since: requestCount, go: () => go() };
        const go = () => {
          waiters.delete(one);
          resolve();
        };
        waiters.add(one);
        signal.addEventListener('abort', go, { once: true });
      }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}

const CALLBACK_PATH = '/courier?to=';

/** Rewrites `webhook_url` so that the callback passes through the proxy. */
function routeCallback({ body, headers }: ProxyRequest, proxyUrl: string): Partial<ProxyRequest> {
  if (headers['content-type'] !== 'application/json') return {};
  const address = (_: string, to: string) => `"webhook_url":"${proxyUrl}${CALLBACK_PATH}${encodeURIComponent(to)}"`;
  const changed = Buffer.from(body.toString('utf8').replace(/"webhook_url":"([^"]+)"/, address));
  return { body: changed, headers: { ...headers, 'content-length': String(changed.length) } };
}

async function forwardCallback(
  request: IncomingMessage,
  response: ServerResponse,
  change: Record<string, string> = {},
) {
  const to = decodeURIComponent(request.url!.slice(CALLBACK_PATH.length));
  const body = Buffer.concat(await request.toArray());
  const { host: _, ...headers } = request.headers;
  const onward = send(to, { method: 'POST', headers: { ...headers, ...change } });
  onward.end(body);
  const [answer] = await once(onward, 'response');
  answer.resume();
  response.writeHead(answer.statusCode).end();
}
