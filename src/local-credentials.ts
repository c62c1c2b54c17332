import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from './base/ids.ts';
import { readOrCreate } from './base/secrets.ts';
import { type Environment, SettingsError } from './base/settings.ts';
import type { Service } from './services/shared/service.ts';

/**
 * Credentials of the `local` profile that the environment does not set, from files under DATA_DIR with mode 0600.
 * `make` creates missing ones; only processes that listen set it.
 */
export async function loadLocalCredentials(options: {
  services: readonly Service[];
  input: Environment;
  dataDir: string;
  make: boolean;
}): Promise<Record<string, string>> {
  const { services, input, dataDir, make } = options;
  const credentials: Record<string, string> = {};
  const missing = services.flatMap((service) => missingCredentials(service, input).map((env) => ({ env, service })));
  for (const { env, service } of missing) {
    const file = credentialFile(dataDir, env);
    const content = make
      ? await readOrCreate(file, () => `assay-${newId().toLowerCase()}`)
      : await readFile(file).catch(() => undefined);
    const secret = content?.toString('utf8').trim();
    if (secret) credentials[env] = service.formatCredential?.(secret) ?? secret;
  }
  return credentials;
}

export const credentialFile = (dataDir: string, env: string) => join(dataDir, 'credentials', env.toLowerCase());

/** Empty if the settings are invalid: `loadConfig` reports that. */
function missingCredentials(service: Service, input: Environment): readonly string[] {
  try {
    return service.missingCredentials(input);
  } catch (error) {
    if (error instanceof SettingsError) return [];
    throw error;
  }
}
