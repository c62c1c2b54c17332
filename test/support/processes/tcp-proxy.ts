import { once } from 'node:events';
import { connect, createServer, type Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A TCP proxy that simulates network faults. */
export interface TcpProxy extends Address {
  proxiedUrl(url: string): string;
  /** Resets every connection and refuses new ones until `restore`. */
  cut(): Promise<void>;
  /** Holds all data back without closing connections, until `restore`. */
  hang(): void;
  /** Delays each chunk by this many milliseconds in both directions; 0 removes the delay. */
  setDelay(ms: number): void;
  restore(): Promise<void>;
  setTarget(to: Address): void;
  connections(): number;
  close(): Promise<void>;
}

export async function startTcpProxy(to: Address, options: Partial<Address> = {}): Promise<TcpProxy> {
  const { host = '127.0.0.1' } = options;
  let target = to;
  let delayMs = 0;
  let gate = Promise.resolve();
  let open: (() => void) | undefined;
  const pairs = new Set<readonly [Socket, Socket]>();
  let server: NetServer | undefined;

  function accept(client: Socket) {
    const upstream = connect({ host: target.host, port: target.port, noDelay: true });
    client.setNoDelay(true);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    // While the proxy hangs, a closed connection is not reported to the other side.
    const end = () =>
      void gate.then(() => {
        pairs.delete(pair);
        for (const socket of pair) socket.destroy();
      });
    for (const socket of pair) socket.on('error', end).on('close', end);
    void pass(client, upstream).catch(end);
    void pass(upstream, client).catch(end);
  }

  async function pass(from: Socket, into: Socket): Promise<void> {
    for await (const chunk of from) {
      if (delayMs > 0) await delay(delayMs);
      await gate;
      if (into.destroyed) return;
      if (!into.write(chunk as Buffer)) await once(into, 'drain');
    }
    await gate;
    into.end();
  }

  async function listen(port: number): Promise<number> {
    const listener = createServer(accept);
    server = listener;
    listener.listen(port, host);
    await once(listener, 'listening');
    return (listener.address() as { port: number }).port;
  }

  async function closeAll(): Promise<void> {
    const listener = server;
    server = undefined;
    const closed = listener && new Promise((resolve) => listener.close(resolve));
    for (const pair of pairs) for (const socket of pair) socket.resetAndDestroy();
    await closed;
  }

  const port = await listen(options.port ?? 0);
  const release = () => {
    open?.();
    open = undefined;
    gate = Promise.resolve();
  };
  return {
    ...{ host, port },
    proxiedUrl(url) {
      const changed = new URL(url);
      changed.hostname = host;
      changed.port = String(port);
      return changed.href;
    },
    async cut() {
      release();
      await closeAll();
    },
    hang() {
      if (open) return;
      gate = new Promise((resolve) => {
        open = resolve;
      });
    },
    setDelay(ms) {
      delayMs = ms;
    },
    async restore() {
      release();
      delayMs = 0;
      if (!server) await listen(port);
    },
    setTarget(next) {
      target = next;
    },
    connections: () => pairs.size,
    async close() {
      release();
      await closeAll();
    },
  };
}
