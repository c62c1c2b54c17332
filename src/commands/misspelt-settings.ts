import type { Log } from '../base/log.ts';
import { misspelt } from '../base/misspelt.ts';
import type { Environment } from '../base/settings.ts';
import { services } from '../services/index.ts';
import { houseSettings } from '../settings.ts';
import { SUPERVISED } from './ending.ts';

/** What clients of this command line may set, besides the settings. */
const OF_CLIENTS: readonly string[] = ['ASSAY_TOKEN', 'ASSAY_API_KEY'];

/** A sentence for each variable that was probably meant for a setting: others share the environment, so no more than that. */
export function misspeltSettings(env: Environment): string[] {
  const settings = [houseSettings, ...services.map((service) => service.settings)].flatMap(Object.values);
  const known = settings.flatMap(({ env: name, secret }) => (secret ? [name, `${name}_FILE`] : [name]));
  const families = services.map(({ name }) => `${name.toUpperCase()}_`);
  const names = Object.keys(env).filter((name) => env[name] !== undefined);
  return misspelt(names, { known: new Set([...known, ...OF_CLIENTS]), families }).map(
    ({ name, meant }) => `There is no setting ${name}${meant === undefined ? '.' : `; did you mean ${meant}?`}`,
  );
}

/** Says so in the log of whoever was started by hand: a supervisor has said it for its children. */
export function warnOfMisspelt(env: Environment, log: Log): void {
  if (env[SUPERVISED]) return;
  for (const sentence of misspeltSettings(env)) log.warn(sentence);
}
