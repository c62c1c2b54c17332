import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Told {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Given {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A deviation of the deployment from the specification. */
export interface Breach {
  readonly in?: (told: Told) => Partial<Told> | undefined;
  readonly out?: (given: Given, told: Told) => Partial<Given> | undefined;
  /** Changes the headers of a callback, which is routed through the proxy. */
  readonly callback?: Readonly<Record<string, string>>;
}

/** Title, id of the check that must detect the deviation, deviation. */
export type Breaches = [title: string, id: string, breach: Breach][];

const isAt = (route: string, { method, path }: Told) => `${method} ${path}`.startsWith(route);

/** Changes responses with `status` on routes that start with `route`. */
export const answering = (route: string, status: number, change: Partial<Given>): Breach => ({
  out: (given, told) => (isAt(route, told) && given.status === status ? change : undefined),
});

export const editing = (route: string, edit: (body: any) => unknown): Breach => editingWhere(route, isSuccess, edit);

export const editingRefusals = (route: string, edit: (body: any) => unknown): Breach =>
  editingWhere(route, (given) => !isSuccess(given), edit);

const isSuccess = ({ status }: Given) => status < 300;

const editingWhere = (route: string, isMeant: (given: Given) => boolean, edit: (body: any) => unknown): Breach => ({
  out: (given, told) => {
    const { headers, body } = given;
    if (!isAt(route, told) || !isMeant(given) || !headers['content-type']?.includes('json')) return undefined;
    const json = JSON.parse(body.toString('utf8'));
    edit(json);
    return { body: Buffer.from(JSON.stringify(json)) };
  },
});

/** Changes the request body, so that the deployment accepts invalid input or loses data. */
export const asking = (route: string, change: (text: string) => string): Breach => ({
  in: (told) => {
    if (!isAt(route, told)) return undefined;
    const body = Buffer.from(change(told.body.toString('utf8')));
    return { body, headers: { ...told.headers, 'content-length': String(body.length) } };
  },
});

export const admitting = (route: string, token: string): Breach => ({
  in: (told) => (isAt(route, told) ? { headers: { ...told.headers, authorization: `Bearer ${token}` } } : undefined),
});

/** Edits the JSON of responses after the first request to the `after` route. */
export function editingAfter(after: string, route: string, edit: (body: any) => unknown): Breach {
  const { out } = editing(route, edit);
  let isAfter = false;
  return {
    out: (given, told) => {
      if (isAt(after, told)) isAfter = true;
      return isAfter ? out?.(given, told) : undefined;
    },
  };
}

/** A reverse proxy in front of a real deployment: transparent, or with one deviation. */
export interface BreachingProxy {
  readonly url: string;
  breach: Breach;
  /** Resolves after a later request was answered, so that the current state has been observed. */
  seen(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export async function startBreachingProxy(target: string): Promise<BreachingProxy> {
  const { hostname, port } = new URL(target);
  let begun = 0;
  // Long polls do not observe the state before the end of a task.
  let patient = 0;
  const waiting = new Set<{ since: number; go: () => void }>();
  const pass = (number: number) => {
    for (const one of waiting) if (number > one.since) one.go();
  };

  const server = createServer((request, response) => {
    const number = ++begun;
    if (request.headers['prefer']) {
      patient++;
      pass(number);
      response.once('close', () => patient--);
    }
    void (async () => {
      if (request.url!.startsWith(COURIER)) return carry(request, response, proxy.breach.callback);
      const before: Told = {
        method: request.method!,
        path: request.url!,
        headers: request.headers,
        body: Buffer.concat(await request.toArray()),
      };
      const { breach } = proxy;
      const told = { ...before, ...breach.in?.(before), ...(breach.callback && byCourier(before, proxy.url)) };
      const { method, path } = told;
      const onward = send({ hostname, port, method, path, headers: { ...told.headers, host: `${hostname}:${port}` } });
      onward.end(told.body);
      const [answer] = await once(onward, 'response');
      const given: Given = {
        status: answer.statusCode,
        headers: answer.headers,
        body: Buffer.concat(await answer.toArray()),
      };
      const { status, headers, body } = { ...given, ...breach.out?.(given, before) };
      const { 'transfer-encoding': _, ...others } = headers;
      response.writeHead(status, { ...others, 'content-length': body.length });
      response.end(body);
      pass(number);
    })().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const proxy: BreachingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    breach: {},
    seen: (signal) =>
      new Promise((resolve) => {
        if (patient > 0) return resolve();
        const one = { since: begun, go: () => go() };
        const go = () => {
          waiting.delete(one);
          resolve();
        };
        waiting.add(one);
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

const COURIER = '/courier?to=';

/** Rewrites `webhook_url` so that the callback passes through the proxy. */
function byCourier({ body, headers }: Told, own: string): Partial<Told> {
  if (headers['content-type'] !== 'application/json') return {};
  const address = (_: string, to: string) => `"webhook_url":"${own}${COURIER}${encodeURIComponent(to)}"`;
  const changed = Buffer.from(body.toString('utf8').replace(/"webhook_url":"([^"]+)"/, address));
  return { body: changed, headers: { ...headers, 'content-length': String(changed.length) } };
}

async function carry(request: IncomingMessage, response: ServerResponse, change: Record<string, string> = {}) {
  const to = decodeURIComponent(request.url!.slice(COURIER.length));
  const body = Buffer.concat(await request.toArray());
  const { host: _, ...headers } = request.headers;
  const onward = send(to, { method: 'POST', headers: { ...headers, ...change } });
  onward.end(body);
  const [answer] = await once(onward, 'response');
  answer.resume();
  response.writeHead(answer.statusCode).end();
}
