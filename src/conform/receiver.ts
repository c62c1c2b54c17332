import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A callback as it came, before it was answered. */
export interface Callback {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

// Of a callback's body; the largest result is far below.
const MAX_BYTES = 4 * 2 ** 20;

/**
 * Takes one callback on a loopback address. `arrived` runs before it is answered, so that what the deployment says of the
 * task at that moment can be seen.
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
      const end = () => response.writeHead(204).end();
      arrived({ headers: request.headers, text: Buffer.concat(chunks).toString('utf8') }).then(end, end);
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
