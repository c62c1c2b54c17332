import type { Log } from '../base/log.ts';
import { findMisspellings } from '../base/misspellings.ts';
import type { Environment } from '../base/settings.ts';
import { services } from '../services/index.ts';
import { coreSettings, databaseSettings } from '../settings.ts';
import { SUPERVISED } from './exit.ts';

/** Of the commands, and of the banner's `export` line. */
const CLIENT_VARIABLES: readonly string[] = ['ASSAY_TOKEN', 'ASSAY_API_KEY', 'STT_TOKEN'];

/** Not errors: other programs share the environment. */
export function unknownSettingWarnings(env: Environment): string[] {
  const settings = [coreSettings, databaseSettings, ...services.map((service) => service.settings)].flatMap(
    Object.values,
  );
  const known = settings.flatMap(({ env: name, secret }) => (secret ? [name, `${name}_FILE`] : [name]));
  const families = services.map(({ name }) => `${name.toUpperCase()}_`);
  const names = Object.keys(env).filter((name) => env[name] !== undefined);
  return findMisspellings(names, { known: new Set([...known, ...CLIENT_VARIABLES]), families }).map(
    ({ name, suggestion }) =>
      `Unknown setting ${name}${suggestion === undefined ? '.' : `; did you mean ${suggestion}?`}`,
  );
}

/** Not for supervised children: their supervisor logs the warnings. */
export function warnAboutUnknownSettings(env: Environment, log: Log): void {
  if (env[SUPERVISED]) return;
  for (const warning of unknownSettingWarnings(env)) log.warn(warning);
}
