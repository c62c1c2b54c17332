import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, request as send } from 'node:http';
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

/** Something that the deployment does otherwise than the specification says. */
export interface Breach {
  /** Changes the request on its way in. */
  readonly in?: (told: Told) => Partial<Told> | undefined;
  /** Changes the answer on its way out. */
  readonly out?: (given: Given, told: Told) => Partial<Given> | undefined;
}

/** A reverse proxy before a real deployment: as good as it, or with one breach. */
export interface BreachingProxy {
  readonly url: string;
  breach: Breach;
  /** Until somebody asks for something once more and has the answer: then what was begun has been seen as it was. */
  seen(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export async function startBreachingProxy(target: string): Promise<BreachingProxy> {
  const { hostname, port } = new URL(target);
  let begun = 0;
  // Requests that wait for the end of a task: they are no look at the state before it.
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
      const before: Told = {
        method: request.method!,
        path: request.url!,
        headers: request.headers,
        body: Buffer.concat(await request.toArray()),
      };
      const told = { ...before, ...proxy.breach.in?.(before) };
      const { method, path } = told;
      const onward = send({ hostname, port, method, path, headers: { ...told.headers, host: `${hostname}:${port}` } });
      onward.end(told.body);
      const [answer] = await once(onward, 'response');
      const given: Given = {
        status: answer.statusCode,
        headers: answer.headers,
        body: Buffer.concat(await answer.toArray()),
      };
      const { status, headers, body } = { ...given, ...proxy.breach.out?.(given, before) };
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
