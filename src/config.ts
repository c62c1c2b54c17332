import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseAllowList } from './base/addresses.ts';
import { createLog } from './base/log.ts';
import { OperatorError } from './base/operator-error.ts';
import { type Environment, readSettings, SettingsError } from './base/settings.ts';
import { loadLocalCredentials } from './local-credentials.ts';
import { type DatabaseConfig, databasesOf } from './service-databases.ts';
import { services } from './services/index.ts';
import type { RecordSource } from './services/shared/records.ts';
import { hasTasks, type OpenService, type Service, type SharedSettings } from './services/shared/service.ts';
import { coreSettings, crossFieldRules, databaseSettings } from './settings.ts';

/** The package's root: the parent of `dist/` or `src/`. */
export const PACKAGE_ROOT = new URL('../', import.meta.url);

/** The configuration of one process. */
export type Config = Awaited<ReturnType<typeof loadConfig>>;

/** Roles with listeners: only they create missing local credentials. */
const LISTENING_ROLES = ['start', 'serve'];

/**
 * Reads every setting once; `role` is the command that started this process. Throws a `SettingsError` that lists all
 * problems of all services.
 */
export async function loadConfig(input: Environment, role: string) {
  const chosen = chosenServices(input);
  const { env, local } = await withLocalDefaults(input, chosen, LISTENING_ROLES.includes(role));
  const { settings, factories, databases } = readAll(env, chosen);
  const shared: SharedSettings = {
    version: JSON.parse(await readFile(new URL('package.json', PACKAGE_ROOT), 'utf8')).version,
    dataDir: resolve(settings.dataDir),
    filesHost: settings.filesHost,
    filesQuotaBytes: settings.filesQuotaBytes,
    resultTtlSeconds: settings.resultTtlSeconds,
    taskDeadlineSeconds: settings.taskDeadlineSeconds,
    taskVisibility: settings.taskVisibility,
    webhookLoopback: settings.webhookLoopback === 'allow',
    corsAllowOrigins: settings.corsAllowOrigins,
    trustProxy: typeof settings.trustProxy === 'number' ? settings.trustProxy : [...settings.trustProxy],
    wrongTokenLimitPerMinute: settings.wrongTokenLimitPerMinute,
    publicOrigins: settings.publicOrigins,
    cookieSecure: settings.cookieSecure,
    metricsToken: settings.metricsToken,
    allowList: parseAllowList({ hosts: settings.outboundAllowHosts, cidrs: settings.outboundAllowCidrs }),
  };
  const open: readonly OpenService[] = factories.map((create) => create(shared));
  const records: readonly RecordSource[] = open
    .filter(hasTasks)
    .flatMap(({ name, title, records }) => (records ? { service: name, title, ...records } : []));
  return {
    role,
    settings,
    shared,
    services: open,
    /** Excluded by SERVICES. */
    disabledServices: services.filter((service) => !chosen.includes(service)),
    databases,
    /** That of this context; see `onDatabase`. */
    database: databases[0]!,
    // These cover all enabled services; `services` only those of the process's role.
    enabledServices: open,
    ports: open.map(({ port }) => port),
    records,
    /** By service, also of disabled ones: the catalog keeps their records. */
    failureTexts: new Map(services.map(({ name, failureTexts }) => [name, failureTexts])),
    /** The environment with the additions of the local profile; child processes inherit it. */
    env,
    host: settings.host ?? (local ? '127.0.0.1' : '0.0.0.0'),
    shutdownDelayMs: 1000 * (settings.shutdownDelaySeconds ?? (settings.appEnv === 'production' ? 5 : 0)),
    log: createLog(settings.logLevel, role),
  };
}

/** The configuration of the services in one of the databases. */
export const onDatabase = (config: Config, database: DatabaseConfig): Config => ({
  ...config,
  database,
  services: config.services.filter(({ name }) => database.services.includes(name)),
});

/** `readAll` reports an unknown name together with all other problems. */
function chosenServices(input: Environment): readonly Service[] {
  const { value } = attempt(() => readSettings({ services: coreSettings.services }, input));
  const named = value?.services ?? [];
  return named.length === 0 ? services : services.filter(({ name }) => named.includes(name));
}

/** Adds the defaults of the `local` profile; changes nothing if APP_ENV or DATA_DIR is invalid. */
async function withLocalDefaults(
  input: Environment,
  services: readonly Service[],
  make: boolean,
): Promise<{ env: Environment; local: boolean }> {
  const { value: profile } = attempt(() =>
    readSettings({ appEnv: coreSettings.appEnv, dataDir: coreSettings.dataDir }, input),
  );
  if (profile?.appEnv !== 'local') return { env: input, local: false };
  const dataDir = resolve(profile.dataDir);
  const credentials = await loadLocalCredentials({ services, input, dataDir, make }).catch((error: Error) => {
    throw new OperatorError(`DATA_DIR (${dataDir}) cannot be used: ${error.message}`);
  });
  return { env: { FILES_HOST: 'files.assay.internal', ...input, ...credentials }, local: true };
}

/** One error lists the problems of the core and of every service. */
function readAll(env: Environment, services: readonly Service[]) {
  const core = attempt(() => readSettings(coreSettings, env, crossFieldRules));
  const urls = attempt(() => readSettings(databaseSettings, env));
  const names = services.map(({ name }) => name);
  const databases = attempt(() => (core.value && urls.value ? databasesOf(names, core.value, urls.value) : []));
  const configured = services.map((service) => attempt(() => service.configure(env)));
  const problems = [core, urls, databases, ...configured].flatMap(({ problem }) => problem ?? []);
  if (problems.length > 0) throw new SettingsError(problems.join('\n'));
  return { settings: core.value!, databases: databases.value!, factories: configured.map(({ value }) => value!) };
}

function attempt<T>(read: () => T): { value?: T; problem?: string } {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof SettingsError) return { problem: error.message };
    throw error;
  }
}

/** For errors that the operator must fix: the CLI prints the message without a stack. */
export function toOperatorError(error: unknown): never {
  throw new OperatorError(error instanceof Error ? error.message : String(error));
}
