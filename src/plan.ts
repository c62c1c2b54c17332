import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readHoles } from './base/addresses.ts';
import { createLog, type Log } from './base/log.ts';
import { OperatorError } from './base/operator-error.ts';
import { type Environment, readSettings, SettingsProblem, type Values } from './base/settings.ts';
import { localCredentials } from './local-credentials.ts';
import { services } from './services/index.ts';
import type { Neighbour } from './services/neighbours.ts';
import type { RecordSource } from './services/records.ts';
import type { OpenService, Service, SharedSettings } from './services/service.ts';
import { houseAgreements, houseSettings } from './settings.ts';

/** Where the package lies: `dist/` or `src/` is one below. */
export const PACKAGE_ROOT = new URL('../', import.meta.url);

/** What every process is made from before it opens anything: settings read, credentials of the local profile in place. */
export interface Plan {
  /** What this process was started as. */
  readonly role: string;
  readonly settings: Values<typeof houseSettings>;
  readonly shared: SharedSettings;
  readonly services: readonly OpenService[];
  /** Those that SERVICES leaves out. */
  readonly absent: readonly Service[];
  /** Of the listeners of all services, whichever of them this process has to do with. */
  readonly ports: readonly number[];
  /** All services as their pages link to each other, whichever of them this process has to do with. */
  readonly neighbours: readonly Neighbour[];
  /** What people search of the finished work of all services, whichever of them this process has to do with. */
  readonly records: readonly RecordSource[];
  /** The environment as it was read, with what the local profile has added: what a child process inherits. */
  readonly env: Environment;
  readonly host: string;
  /** From SIGTERM until a gateway begins to close. */
  readonly shutdownDelayMs: number;
  readonly log: Log;
}

/** Roles that listen, and so the ones whose callers need credentials. */
const LISTENS = ['start', 'serve'];

/** Reads every setting once; throws a `SettingsProblem` that names all faults, of the house and of every service. */
export async function plan(given: Environment, role: string): Promise<Plan> {
  const chosen = chosenServices(given);
  const { env, local } = await withLocalDefaults(given, chosen, LISTENS.includes(role));
  const { settings, opens } = readAll(env, chosen);
  const shared: SharedSettings = {
    version: JSON.parse(await readFile(new URL('package.json', PACKAGE_ROOT), 'utf8')).version,
    dataDir: resolve(settings.dataDir),
    filesHost: settings.filesHost,
    filesQuotaBytes: settings.filesQuotaBytes,
    resultTtlSeconds: settings.resultTtlSeconds,
    taskDeadlineSeconds: settings.taskDeadlineSeconds,
    estimateMode: settings.estimateMode,
    taskVisibility: settings.taskVisibility,
    webhookLoopback: settings.webhookLoopback === 'allow',
    corsAllowOrigins: settings.corsAllowOrigins,
    trustProxy: typeof settings.trustProxy === 'number' ? settings.trustProxy : [...settings.trustProxy],
    wrongTokenLimitPerMinute: settings.wrongTokenLimitPerMinute,
    publicOrigins: settings.publicOrigins,
    cookieSecure: settings.cookieSecure,
    metricsToken: settings.metricsToken,
    holes: readHoles({ hosts: settings.outboundAllowHosts, cidrs: settings.outboundAllowCidrs }),
  };
  const open = opens.map((configured) => configured(shared));
  return {
    role,
    settings,
    shared,
    services: open,
    absent: services.filter((service) => !chosen.includes(service)),
    ports: open.map(({ port }) => port),
    neighbours: open.map(({ name, titles, publicUrl, port, work }) => ({
      ...{ name, titles, publicUrl, port },
      takesTasks: work !== undefined,
    })),
    records: open.flatMap(({ name, title, records }) => (records ? { service: name, title, ...records } : [])),
    env,
    host: settings.host ?? (local ? '127.0.0.1' : '0.0.0.0'),
    shutdownDelayMs: 1000 * (settings.shutdownDelaySeconds ?? (settings.appEnv === 'production' ? 5 : 0)),
    log: createLog(settings.logLevel, role),
  };
}

/** Those that SERVICES names. A name that is none is complained of with all other faults. */
function chosenServices(given: Environment): readonly Service[] {
  const { value } = attempt(() => readSettings({ services: houseSettings.services }, given));
  const named = value?.services ?? [];
  return named.length === 0 ? services : services.filter(({ name }) => named.includes(name));
}

/** What the `local` profile adds to what was given. A profile that cannot be told adds nothing. */
async function withLocalDefaults(
  given: Environment,
  services: readonly Service[],
  make: boolean,
): Promise<{ env: Environment; local: boolean }> {
  const { value: profile } = attempt(() =>
    readSettings({ appEnv: houseSettings.appEnv, dataDir: houseSettings.dataDir }, given),
  );
  if (profile?.appEnv !== 'local') return { env: given, local: false };
  const credentials = await localCredentials({ services, given, dataDir: resolve(profile.dataDir), make }).catch(
    inWords,
  );
  return { env: { FILES_HOST: 'files.assay.internal', ...given, ...credentials }, local: true };
}

/** Everything is read before anything is complained of: the faults of the house must not hide those of a service. */
function readAll(env: Environment, services: readonly Service[]) {
  const house = attempt(() => readSettings(houseSettings, env, houseAgreements));
  const opens = services.map((service) => attempt(() => service.configure(env)));
  const faults = [house, ...opens].flatMap(({ fault }) => fault ?? []);
  if (faults.length > 0) throw new SettingsProblem(faults.join('\n'));
  return { settings: house.value!, opens: opens.map(({ value }) => value!) };
}

function attempt<T>(read: () => T): { value?: T; fault?: string } {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof SettingsProblem) return { fault: error.message };
    throw error;
  }
}

/** A folder or a key that is not as it should be is the operator's to mend: a sentence and no stack. */
export function inWords(error: unknown): never {
  throw new OperatorError(error instanceof Error ? error.message : String(error));
}
