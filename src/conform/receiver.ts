import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Callback {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

// Far above the largest result.
const MAX_BYTES = 4 * 2 ** 20;

/**
 * Receives webhooks on a loopback address. `arrived` runs before the response, to observe the task state at that
 * moment; if it fails, the webhook is rejected and sent again.
 */
export async function openReceiver(arrived: (callback: Callback) => Promise<void>) {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_BYTES) request.destroy();
      else chunks.push(chunk);
    });
    request.on('end', () => {
      const end = (status: number) => () => response.writeHead(status).end();
      arrived({ headers: request.headers, text: Buffer.concat(chunks).toString('utf8') }).then(end(204), end(503));
    });
  });
  server.unref();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/conform`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
