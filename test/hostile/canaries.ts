import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Listeners on one port of every local address; a connection to one of them is a leak. */
export interface Canaries {
  readonly port: number;
  readonly addresses: readonly string[];
  readonly connections: readonly string[];
  close(): void;
}

export async function startCanaries(): Promise<Canaries> {
  const others = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .map(({ address }) => address);
  const heard: string[] = [];
  const servers: Server[] = [];
  const addresses: string[] = [];
  let port = 0;
  for (const address of ['127.0.0.1', '127.0.0.2', '::1', ...others]) {
    const server = createServer((socket) => {
      heard.push(address);
      socket.on('error', () => {});
      socket.destroy();
    });
    server.listen(port, address);
    const listens = await once(server, 'listening').then(...SUCCEEDED);
    // IPv6 may be missing, and the port may be taken on some addresses.
    if (!listens) continue;
    ({ port } = server.address() as AddressInfo);
    servers.push(server);
    addresses.push(address);
  }
  return {
    ...{ port, addresses, connections: heard },
    close: () => {
      for (const server of servers) server.close();
    },
  };
}

const SUCCEEDED = [() => true, () => false] as const;

/** Records every TCP connection attempt of this process, as `address port`. */
export function watchConnections(): { dialled(): string[]; end(): void } {
  const attempts: { address?: string; port?: number }[] = [];
  const hook = createHook({
    init(_id, type, _by, resource) {
      // Node sets `address` and `port` after this hook.
      if (type === 'TCPCONNECTWRAP') attempts.push(resource);
    },
  }).enable();
  return {
    dialled: () => attempts.map(({ address, port }) => `${address} ${port}`),
    end: () => void hook.disable(),
  };
}
