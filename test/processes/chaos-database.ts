import { setTimeout as delay } from 'node:timers/promises';
import { signalTo } from './assay.ts';
import { type Disk, mountDisk } from './chaos-disk.ts';
import { asking, type Server, startPostgres } from './postgres.ts';
import { type Address, startRelay } from './relay.ts';
import { type Standby, startStandby } from './standby.ts';
import { turns } from './turns.ts';
import { until } from './until.ts';

/** One database that processes know by addresses of their own, whichever server stands behind them. */
export interface ChangingDatabase {
  /** A network to it that can be spoilt for whoever was given it. */
  way(): Promise<Way>;
  /** `kill -9` of every part at once, and a start. */
  kill(): Promise<void>;
  restart(mode: 'fast' | 'immediate'): Promise<void>;
  /** Makes the standby that `failOver` needs; from then on nothing is acknowledged that it does not have. */
  prepareStandby(): Promise<void>;
  /** The server is lost with its data, and its standby takes its place. */
  failOver(): Promise<void>;
  /** Every part of it stands still. */
  pause(forMs: number): Promise<void>;
  /** The disk that its data are on; absent where disks cannot be made. */
  disk(): Disk | undefined;
  /** Starts the server if it has ended by itself, and waits until it answers. */
  ensureRuns(): Promise<void>;
  close(): Promise<void>;
}

export interface Way {
  readonly url: string;
  /** Nothing passes: `cut` ends what there is and refuses what comes, `hang` tells nobody. */
  spoil(how: 'cut' | 'hang'): Promise<void>;
  mend(): Promise<void>;
}

const DISK_MB = 3000;
/** A server that recovers on a crowded machine. */
const PATIENCE_MS = 120_000;
const SETTINGS = { max_connections: 200 };

export async function startChangingDatabase({ onDisk }: { onDisk: boolean }): Promise<ChangingDatabase> {
  let server: Server = await startPostgres({ settings: SETTINGS });
  let disk = await putOnDisk(server);
  let next: { standby: Standby; disk: Disk | undefined } | undefined;
  const ways: KnownWay[] = [];

  async function putOnDisk(of: Server): Promise<Disk | undefined> {
    if (!onDisk) return undefined;
    await of.stop();
    const made = await mountDisk(of.cluster, DISK_MB);
    await of.start();
    return made;
  }

  return {
    async way() {
      const way = await openWay(server);
      ways.push(way);
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
      if (next) return;
      const standby = await startStandby(server.url, { settings: SETTINGS });
      // Before the primary waits for it: while its data move to their disk, it stands still.
      next = { standby, disk: await putOnDisk(standby) };
      await standby.becomeSynchronous();
    },
    async failOver() {
      const { standby, disk: itsDisk } = next!;
      next = undefined;
      await server.kill();
      for (const way of ways) await way.follow(standby);
      await disk?.remove();
      [server, disk] = [standby, itsDisk];
      await standby.promote();
    },
    async pause(forMs) {
      const stopped = await server.parts();
      for (const pid of stopped) signalTo(pid, 'SIGSTOP');
      await delay(forMs);
      for (const pid of stopped) signalTo(pid, 'SIGCONT');
    },
    disk: () => disk,
    ensureRuns: () =>
      until(async () => {
        if ((await server.parts()).length === 0) await server.start().catch(() => {});
        return asking(server.url, (db) => db.query('select')).then(
          () => true,
          () => false,
        );
      }, PATIENCE_MS),
    async close() {
      for (const way of ways) await way.close();
    },
  };
}

interface KnownWay extends Way {
  /** Leads to another server from now on. Who is cut off stays so, and finds it later. */
  follow(to: Address): Promise<void>;
  close(): Promise<void>;
}

/** A failover and a broken network may befall it at the same time, and each must find it as the other has left it. */
async function openWay(server: Server): Promise<KnownWay> {
  const relay = await startRelay(server);
  const inTurn = turns();
  let spoilt = false;
  return {
    url: relay.in(server.url),
    spoil: (how) =>
      inTurn(async () => {
        spoilt = true;
        await relay[how]();
      }),
    mend: () =>
      inTurn(async () => {
        spoilt = false;
        await relay.mend();
      }),
    follow: (to) =>
      inTurn(async () => {
        relay.target(to);
        if (spoilt) return;
        await relay.cut();
        await relay.mend();
      }),
    close: () => relay.close(),
  };
}
