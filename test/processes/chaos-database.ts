import { setTimeout as delay } from 'node:timers/promises';
import { nameOf } from '../../src/base/postgres/postmaster.ts';
import { processes } from '../../src/base/postgres/processes.ts';
import { signalTo } from './assay.ts';
import { type Disk, mountDisk } from './chaos-disk.ts';
import { asking, type Server, startPostgres } from './postgres.ts';
import { startRelay, startStandby } from './standby.ts';
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
const SETTINGS = { max_connections: 200 };

export async function startChangingDatabase({ onDisk }: { onDisk: boolean }): Promise<ChangingDatabase> {
  let server: Server = await startPostgres({ settings: SETTINGS });
  let disk = await putOnDisk(server);
  let next: { standby: Awaited<ReturnType<typeof startStandby>>; disk: Disk | undefined } | undefined;
  const ways: { relay: Awaited<ReturnType<typeof startRelay>>; spoilt: boolean }[] = [];

  async function putOnDisk(of: Server): Promise<Disk | undefined> {
    if (!onDisk) return undefined;
    await of.stop();
    const made = await mountDisk(of.cluster, DISK_MB);
    await of.start();
    return made;
  }

  async function parts(): Promise<number[]> {
    const name = nameOf(server.cluster);
    const ours = (await processes()).filter(
      ({ command }) => command.includes(`cluster_name=${name}`) || command.startsWith(`postgres: ${name}: `),
    );
    return ours.map(({ pid }) => pid);
  }

  return {
    async way() {
      const way = { relay: await startRelay(server), spoilt: false };
      ways.push(way);
      return {
        url: way.relay.in(server.url),
        async spoil(how) {
          way.spoilt = true;
          await way.relay[how]();
        },
        async mend() {
          way.spoilt = false;
          await way.relay.mend();
        },
      };
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
      const standby = await startStandby(server.url, { synchronous: true, settings: SETTINGS });
      next = { standby, disk: await putOnDisk(standby) };
    },
    async failOver() {
      const { standby, disk: itsDisk } = next!;
      next = undefined;
      await server.kill();
      for (const { relay, spoilt } of ways) {
        relay.target(standby);
        // Who is cut off now stays so, and finds the new server later.
        if (spoilt) continue;
        await relay.cut();
        await relay.mend();
      }
      await disk?.remove();
      [server, disk] = [standby, itsDisk];
      await standby.promote();
    },
    async pause(forMs) {
      const stopped = await parts();
      for (const pid of stopped) signalTo(pid, 'SIGSTOP');
      await delay(forMs);
      for (const pid of stopped) signalTo(pid, 'SIGCONT');
    },
    disk: () => disk,
    ensureRuns: () =>
      until(async () => {
        if ((await parts()).length === 0) await server.start().catch(() => {});
        return asking(server.url, (db) => db.query('select')).then(
          () => true,
          () => false,
        );
      }, 60_000),
    async close() {
      for (const { relay } of ways) await relay.close();
    },
  };
}
