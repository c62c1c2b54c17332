import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import { signalTo } from './assay.ts';
import { type Disk, mountDisk } from './chaos-disk.ts';
import { type PostgresServer, startPostgres, withConnection } from './postgres.ts';
import { type Standby, startStandby } from './standby.ts';
import { type Address, startTcpProxy } from './tcp-proxy.ts';
import { waitUntil } from './until.ts';

/** A database behind per-client proxies, whose server can fail over. */
export interface FaultyDatabase {
  createPath(): Promise<DatabasePath>;
  kill(): Promise<void>;
  restart(mode: 'fast' | 'immediate'): Promise<void>;
  prepareStandby(): Promise<void>;
  /** Kills the server, removes its data and promotes the standby. */
  failOver(): Promise<void>;
  /** Stops all server processes for this time (SIGSTOP, SIGCONT). */
  pause(forMs: number): Promise<void>;
  /** The disk with its data; undefined without loop devices. */
  disk(): Disk | undefined;
  /** Starts the server if it has exited, and waits until it answers. */
  ensureRunning(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabasePath {
  readonly url: string;
  /** `cut` resets connections and refuses new ones; `hang` holds all data back without closing connections. */
  interrupt(how: 'cut' | 'hang'): Promise<void>;
  restore(): Promise<void>;
}

const DISK_MB = 3000;
/** For recovery on a busy machine. */
const RECOVERY_TIMEOUT_MS = 120_000;

export async function startFaultyDatabase({ onDisk }: { onDisk: boolean }): Promise<FaultyDatabase> {
  let server: PostgresServer = await startPostgres({});
  let disk = await moveToDisk(server);
  let prepared: { standby: Standby; disk: Disk | undefined } | undefined;
  const paths: ManagedPath[] = [];

  async function moveToDisk(of: PostgresServer): Promise<Disk | undefined> {
    if (!onDisk) return undefined;
    await of.stop();
    const made = await mountDisk(of.cluster, DISK_MB);
    await of.start();
    return made;
  }

  return {
    async createPath() {
      const way = await createPath(server);
      paths.push(way);
      return way;
    },
    async kill() {
      await server.kill();
      await server.start();
    },
    async restart(mode) {
      await server.stop(mode);
      await server.start();
    },
    async prepareStandby() {
      if (prepared) return;
      const standby = await startStandby(server.url);
      // Before replication becomes synchronous, because the standby stops during the move to its disk.
      prepared = { standby, disk: await moveToDisk(standby) };
      await standby.enableSynchronousReplication();
    },
    async failOver() {
      const { standby, disk: itsDisk } = prepared!;
      prepared = undefined;
      await server.kill();
      for (const way of paths) await way.follow(standby);
      await disk?.remove();
      [server, disk] = [standby, itsDisk];
      await standby.promote();
    },
    async pause(forMs) {
      const stopped = await server.pids();
      for (const pid of stopped) signalTo(pid, 'SIGSTOP');
      await delay(forMs);
      for (const pid of stopped) signalTo(pid, 'SIGCONT');
    },
    disk: () => disk,
    ensureRunning: () =>
      waitUntil(async () => {
        if ((await server.pids()).length === 0) await server.start().catch(() => {});
        return withConnection(server.url, (db) => db.query('select')).then(
          () => true,
          () => false,
        );
      }, RECOVERY_TIMEOUT_MS),
    async close() {
      for (const way of paths) await way.close();
    },
  };
}

interface ManagedPath extends DatabasePath {
  /** Redirects the path to another server; a broken path stays broken until `restore`. */
  follow(to: Address): Promise<void>;
  close(): Promise<void>;
}

/** The limit serializes a failover and a network fault that happen at the same time. */
async function createPath(server: PostgresServer): Promise<ManagedPath> {
  const relay = await startTcpProxy(server);
  const withLock = pLimit(1);
  let isBroken = false;
  return {
    url: relay.proxiedUrl(server.url),
    interrupt: (how) =>
      withLock(async () => {
        isBroken = true;
        await relay[how]();
      }),
    restore: () =>
      withLock(async () => {
        isBroken = false;
        await relay.restore();
      }),
    follow: (to) =>
      withLock(async () => {
        relay.setTarget(to);
        if (isBroken) return;
        await relay.cut();
        await relay.restore();
      }),
    close: () => relay.close(),
  };
}
