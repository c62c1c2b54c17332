import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from './base/ids.ts';
import { readOrCreate } from './base/secrets.ts';
import { type Environment, SettingsProblem } from './base/settings.ts';
import type { Service } from './services/service.ts';

/**
 * Credentials of the `local` profile that nobody has set: kept in files that only their owner reads, and made at the
 * first start of what listens. Whoever does not listen takes those that are there and makes none.
 */
export async function localCredentials(needs: {
  services: readonly Service[];
  given: Environment;
  dataDir: string;
  make: boolean;
}): Promise<Record<string, string>> {
  const { services, given, dataDir, make } = needs;
  const credentials: Record<string, string> = {};
  const wanted = services.flatMap((service) => missing(service, given).map((env) => ({ env, service })));
  for (const { env, service } of wanted) {
    const file = credentialFile(dataDir, env);
    const kept = make
      ? await readOrCreate(file, () => `assay-${newId().toLowerCase()}`)
      : await readFile(file).catch(() => undefined);
    const secret = kept?.toString('utf8').trim();
    if (secret) credentials[env] = service.writeCredential?.(secret) ?? secret;
  }
  return credentials;
}

export const credentialFile = (dataDir: string, env: string) => join(dataDir, 'credentials', env.toLowerCase());

/** None where the settings cannot be read: that is for those to say who read them all. */
function missing(service: Service, given: Environment): readonly string[] {
  try {
    return service.missingCredentials(given);
  } catch (error) {
    if (error instanceof SettingsProblem) return [];
    throw error;
  }
}
