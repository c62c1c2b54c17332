import { mkdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Assay, createInstancePlace, freePort, type InstancePlace, startAssay } from './assay.ts';
import { type Audit, openAudit } from './audit.ts';
import { type DatabasePath, type FaultyDatabase, startFaultyDatabase } from './chaos-database.ts';
import { type Disk, mountDisk } from './chaos-disk.ts';
import { waitUntil } from './until.ts';

export type ProcessName = 'host' | 'gateway' | 'worker' | 'deliverer';

/**
 * The product under fault injection: a host with `assay start`, a second gateway, worker and deliverer as separate
 * processes, and one database behind a proxy per process. Exited processes are restarted, as by systemd.
 */
export interface ChaosCluster {
  readonly database: FaultyDatabase;
  /** The disk under DATA_DIR; undefined without loop devices. */
  readonly files: Disk | undefined;
  readonly audit: Audit;
  readonly dataDir: string;
  readonly databasePaths: Readonly<Record<ProcessName, DatabasePath>>;
  currentProcess(part: ProcessName): Assay;
  unexpectedExits(): string[];
  outputTails(): string;
  /** Stops everything gracefully; returns descriptions of leftovers and failed shutdowns. */
  stop(): Promise<string[]>;
}

export interface ChaosClusterOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly onDisks: boolean;
  readonly modelMs: number;
}

/** Below the timeout after which a supervisor kills a child. */
const STOP_MS = 25_000;
const FILES_DISK_MB = 64;
const QUICK_MODEL = fileURLToPath(new URL('./chaos-model.mjs', import.meta.url));

export async function startChaosCluster({
  env: baseEnv,
  onDisks,
  modelMs,
}: ChaosClusterOptions): Promise<ChaosCluster> {
  const database = await startFaultyDatabase({ onDisk: onDisks });
  const place = await createInstancePlace();
  const files = onDisks ? await diskFor(place) : undefined;
  const env = { ...baseEnv, NODE_OPTIONS: `--import=${QUICK_MODEL}`, CHAOS_MODEL_MS: String(modelMs) };
  const ways = {
    host: await database.createPath(),
    gateway: await database.createPath(),
    worker: await database.createPath(),
    deliverer: await database.createPath(),
  };
  const gatewayPlace = { ...place, port: await freePort() };
  const start = (part: ProcessName, at: InstancePlace, ...args: string[]) =>
    keepRunning(part, () => startAssay(at, { args, env: { ...env, DATABASE_URL: ways[part].url } }));

  const host = start('host', place, 'start');
  await host.now().waitForOutput(/is ready/);
  const parts = {
    host,
    gateway: start('gateway', gatewayPlace, 'serve'),
    worker: start('worker', place, 'work', '--service', 'defectoscopy'),
    deliverer: start('deliverer', place, 'deliver'),
  };
  const audit = await openAudit((await database.createPath()).url);
  await waitUntil(() =>
    parts.gateway
      .now()
      .call('/livez')
      .then(...ANSWERED),
  );
  await waitUntil(async () => (await host.now().call('/ready')).body.data.workers_online === 2);

  return {
    ...{ database, files, audit, databasePaths: ways, dataDir: place.dataDir },
    currentProcess: (part) => parts[part].now(),
    unexpectedExits: () => Object.values(parts).flatMap((part) => part.exits()),
    outputTails: () =>
      Object.entries(parts)
        .map(([name, part]) => `The ${name}: ${(part.now().output.out + part.now().output.err).slice(-4000)}`)
        .join('\n'),
    async stop() {
      const leftovers = await Promise.all(Object.values(parts).map((part) => part.stop()));
      const { rows } = await audit.db.query<{ name: string }>(
        `select application_name as name from pg_stat_activity where application_name like 'assay%'`,
      );
      await audit.close();
      await database.close();
      return [...leftovers.flat(), ...rows.map(({ name }) => `the connection ${name} was left open`)];
    },
  };
}

async function diskFor({ dataDir }: InstancePlace): Promise<Disk> {
  await mkdir(dataDir, { recursive: true });
  return mountDisk(dataDir, FILES_DISK_MB);
}

interface RestartedProcess {
  now(): Assay;
  exits(): string[];
  stop(): Promise<string[]>;
}

/** Restarts a process whenever it exits, until `stop`. */
function keepRunning(name: string, start: () => Assay): RestartedProcess {
  const instances: Assay[] = [start()];
  const exits: string[] = [];
  let isStopping = false;
  const restartLoop = (async () => {
    for (;;) {
      const { ended, output } = instances.at(-1)!;
      const { code, signal } = await ended;
      if (isStopping) return;
      if (signal !== 'SIGKILL') exits.push(`the ${name} ended with ${signal ?? code}: ${output.err.slice(-500)}`);
      await delay(200);
      instances.push(start());
    }
  })();
  return {
    now: () => instances.at(-1)!,
    exits: () => [...exits, ...instances.flatMap(({ output }) => childExits(output.out))],
    async stop() {
      isStopping = true;
      const at = performance.now();
      instances.at(-1)!.kill('SIGTERM');
      await restartLoop;
      const tookMs = performance.now() - at;
      const { code, signal } = await instances.at(-1)!.ended;
      const leftovers = await Promise.all(instances.map((instance) => instance.runningPids()));
      return [
        ...(code === 0 ? [] : [`the ${name} stopped with ${signal ?? code}`]),
        ...(tookMs < STOP_MS ? [] : [`the ${name} took ${Math.round(tookMs / 1000)} s to stop`]),
        ...leftovers.flat().map((pid) => `the process ${pid} of the ${name} is still running`),
      ];
    },
  };
}

/** Returns the supervisor's log lines about children that exited without a SIGKILL. */
function childExits(log: string): string[] {
  const lines = log.split('\n').filter((line) => line.includes('a process exited and will be restarted'));
  return lines.filter((line) => !line.includes('"by":"SIGKILL"'));
}

const ANSWERED = [() => true, () => false] as const;
