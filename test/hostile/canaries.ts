import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Listeners on one port of all of this machine's addresses, which must hear nothing. */
export interface Canaries {
  readonly port: number;
  /** The addresses on which they listen. */
  readonly addresses: readonly string[];
  /** Where connections arrived. */
  readonly heard: readonly string[];
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
    const listens = await once(server, 'listening').then(...EITHER);
    // A machine need not have IPv6, nor this port free on each of its addresses.
    if (!listens) continue;
    ({ port } = server.address() as AddressInfo);
    servers.push(server);
    addresses.push(address);
  }
  return {
    ...{ port, addresses, heard },
    close: () => {
      for (const server of servers) server.close();
    },
  };
}

const EITHER = [() => true, () => false] as const;

/**
 * Every TCP connection that this process attempts from now on, as `address port`, with TLS or without: read where Node
 * hands it to the system.
 */
export function watchDials(): { dialled(): string[]; end(): void } {
  const attempts: { address?: string; port?: number }[] = [];
  const hook = createHook({
    init(_id, type, _by, resource) {
      // What it is told is written onto it after this.
      if (type === 'TCPCONNECTWRAP') attempts.push(resource);
    },
  }).enable();
  return {
    dialled: () => attempts.map(({ address, port }) => `${address} ${port}`),
    end: () => void hook.disable(),
  };
}
