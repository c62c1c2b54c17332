import { mkdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Assay, freePort, newPlace, type Place, startAssay } from './assay.ts';
import { type Audit, openAudit } from './audit.ts';
import { type ChangingDatabase, startChangingDatabase, type Way } from './chaos-database.ts';
import { type Disk, mountDisk } from './chaos-disk.ts';
import { until } from './until.ts';

/** Processes that each have a network to the database of their own. */
export type Part = 'host' | 'gateway' | 'worker' | 'deliverer';

/**
 * A product that chaos may befall: a host where `assay start` runs everything, beside it a second gateway, worker and
 * deliverer as processes of their own, and one database behind the networks of all of them. What ends is started again,
 * as systemd does it.
 */
export interface Ground {
  readonly database: ChangingDatabase;
  /** The disk under DATA_DIR; absent where disks cannot be made. */
  readonly files: Disk | undefined;
  readonly audit: Audit;
  readonly dataDir: string;
  readonly ways: Readonly<Record<Part, Way>>;
  /** The process as it runs now. */
  now(part: Part): Assay;
  /** What has ended though nobody killed it, in words. */
  deaths(): string[];
  /** The last that each process has said. */
  lastWords(): string;
  /** Ends everything gently; answers what is left that should not be, in words. */
  stop(): Promise<string[]>;
}

export interface GroundOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly onDisks: boolean;
  readonly modelMs: number;
}

/** Less than after what a supervisor kills a child that does not stop. */
const STOP_MS = 25_000;
const FILES_DISK_MB = 64;
const QUICK_MODEL = fileURLToPath(new URL('./chaos-model.mjs', import.meta.url));

export async function startGround({ env: given, onDisks, modelMs }: GroundOptions): Promise<Ground> {
  const database = await startChangingDatabase({ onDisk: onDisks });
  const place = await newPlace();
  const files = onDisks ? await diskFor(place) : undefined;
  const env = { ...given, NODE_OPTIONS: `--import=${QUICK_MODEL}`, CHAOS_MODEL_MS: String(modelMs) };
  const ways = {
    host: await database.way(),
    gateway: await database.way(),
    worker: await database.way(),
    deliverer: await database.way(),
  };
  const elsewhere = { ...place, port: await freePort() };
  const start = (part: Part, at: Place, ...args: string[]) =>
    kept(part, () => startAssay(at, { args, env: { ...env, DATABASE_URL: ways[part].url } }));

  const host = start('host', place, 'start');
  await host.now().says(/is ready/);
  const parts = {
    host,
    gateway: start('gateway', elsewhere, 'serve'),
    worker: start('worker', place, 'work', '--service', 'defectoscopy'),
    deliverer: start('deliverer', place, 'deliver'),
  };
  const audit = await openAudit((await database.way()).url);
  await until(() =>
    parts.gateway
      .now()
      .call('/livez')
      .then(...ANSWERED),
  );
  await until(async () => (await host.now().call('/ready')).body.data.workers_online === 2);

  return {
    ...{ database, files, audit, ways, dataDir: place.dataDir },
    now: (part) => parts[part].now(),
    deaths: () => Object.values(parts).flatMap((part) => part.deaths()),
    lastWords: () =>
      Object.entries(parts)
        .map(([name, part]) => `The ${name}: ${(part.now().said.out + part.now().said.err).slice(-4000)}`)
        .join('\n'),
    async stop() {
      const left = await Promise.all(Object.values(parts).map((part) => part.stop()));
      const { rows } = await audit.db.query<{ name: string }>(
        `select application_name as name from pg_stat_activity where application_name like 'assay%'`,
      );
      await audit.close();
      await database.close();
      return [...left.flat(), ...rows.map(({ name }) => `the connection ${name} was left open`)];
    },
  };
}

async function diskFor({ dataDir }: Place): Promise<Disk> {
  await mkdir(dataDir, { recursive: true });
  return mountDisk(dataDir, FILES_DISK_MB);
}

interface Kept {
  now(): Assay;
  deaths(): string[];
  stop(): Promise<string[]>;
}

/** Started again whenever it ends, until it is stopped. */
function kept(name: string, start: () => Assay): Kept {
  const lives: Assay[] = [start()];
  const deaths: string[] = [];
  let over = false;
  const keeping = (async () => {
    for (;;) {
      const { ended, said } = lives.at(-1)!;
      const { code, signal } = await ended;
      if (over) return;
      if (signal !== 'SIGKILL') deaths.push(`the ${name} ended with ${signal ?? code}: ${said.err.slice(-500)}`);
      await delay(200);
      lives.push(start());
    }
  })();
  return {
    now: () => lives.at(-1)!,
    deaths: () => [...deaths, ...lives.flatMap(({ said }) => diedUnderSupervision(said.out))],
    async stop() {
      over = true;
      const at = performance.now();
      lives.at(-1)!.kill('SIGTERM');
      await keeping;
      const tookMs = performance.now() - at;
      const { code, signal } = await lives.at(-1)!.ended;
      const left = await Promise.all(lives.map((life) => life.alive()));
      return [
        ...(code === 0 ? [] : [`the ${name} stopped with ${signal ?? code}`]),
        ...(tookMs < STOP_MS ? [] : [`the ${name} took ${Math.round(tookMs / 1000)} s to stop`]),
        ...left.flat().map((pid) => `the process ${pid} of the ${name} still lives`),
      ];
    },
  };
}

/** What the supervisor's log says of children that were not killed. */
function diedUnderSupervision(log: string): string[] {
  const lines = log.split('\n').filter((line) => line.includes('a process exited and will be restarted'));
  return lines.filter((line) => !line.includes('"by":"SIGKILL"'));
}

const ANSWERED = [() => true, () => false] as const;
