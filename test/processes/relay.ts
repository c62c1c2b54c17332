import { once } from 'node:events';
import { connect, createServer, type Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A network that a test can spoil: what connects to it is connected to what stands behind it. */
export interface Relay extends Address {
  /** `url` with this relay's address in place of the server's. */
  in(url: string): string;
  /** Ends every connection, and refuses new ones until `mend`. */
  cut(): Promise<void>;
  /** Nothing passes any more, and nobody is told: what a lost network looks like. `mend` lets through what waits. */
  hang(): void;
  /** Every piece of data comes so much later, in both directions; 0 ends it. */
  slow(ms: number): void;
  mend(): Promise<void>;
  /** New connections go there. Those that there are stay, until `cut`. */
  target(to: Address): void;
  /** How many connections stand. */
  connections(): number;
  close(): Promise<void>;
}

/** Listens on a port of its own and passes on to `to`. */
export async function startRelay(to: Address, options: Partial<Address> = {}): Promise<Relay> {
  const { host = '127.0.0.1' } = options;
  let behind = to;
  let lateMs = 0;
  let gate = Promise.resolve();
  let open: (() => void) | undefined;
  const pairs = new Set<readonly [Socket, Socket]>();
  let server: NetServer | undefined;

  function accept(near: Socket) {
    const far = connect({ host: behind.host, port: behind.port, noDelay: true });
    near.setNoDelay(true);
    const pair = [near, far] as const;
    pairs.add(pair);
    // A network that hangs does not tell either side that the other has gone.
    const end = () =>
      void gate.then(() => {
        pairs.delete(pair);
        for (const socket of pair) socket.destroy();
      });
    for (const socket of pair) socket.on('error', end).on('close', end);
    void pass(near, far).catch(end);
    void pass(far, near).catch(end);
  }

  /** One piece after the other, each held up as the network is at that moment. */
  async function pass(from: Socket, into: Socket): Promise<void> {
    for await (const piece of from) {
      if (lateMs > 0) await delay(lateMs);
      await gate;
      if (into.destroyed) return;
      if (!into.write(piece as Buffer)) await once(into, 'drain');
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

  async function silence(): Promise<void> {
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
    in(url) {
      const changed = new URL(url);
      changed.hostname = host;
      changed.port = String(port);
      return changed.href;
    },
    async cut() {
      release();
      await silence();
    },
    hang() {
      if (open) return;
      gate = new Promise((resolve) => {
        open = resolve;
      });
    },
    slow(ms) {
      lateMs = ms;
    },
    async mend() {
      release();
      lateMs = 0;
      if (!server) await listen(port);
    },
    target(next) {
      behind = next;
    },
    connections: () => pairs.size,
    async close() {
      release();
      await silence();
    },
  };
}
