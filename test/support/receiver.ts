import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
}

/** The response to the n-th request, counted from 0. */
export type Reply =
  | number
  | { readonly status: number; readonly headers?: Record<string, string>; readonly afterMs?: number }
  | 'silence';

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  waitForRequests(count: number): Promise<Received[]>;
  close(): Promise<void>;
}

/** A webhook receiver on the loopback interface. */
export async function startReceiver(replies: (n: number) => Reply = () => 204): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const reply = replies(received.length);
      received.push({
        method: request.method!,
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
        at: Date.now(),
      });
      server.emit('received');
      if (reply === 'silence') return;
      const { status, headers = {}, afterMs = 0 } = typeof reply === 'number' ? { status: reply } : reply;
      setTimeout(() => response.writeHead(status, headers).end('ignored response body'), afterMs);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    async waitForRequests(count) {
      while (received.length < count) await once(server, 'received', { signal: AbortSignal.timeout(15_000) });
      return received;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
