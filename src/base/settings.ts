import { readFileSync } from 'node:fs';
import { OperatorError } from './operator-error.ts';

/**
 * A setting with its variable and documentation. `read` receives the trimmed text of the variable (undefined: not set) and
 * returns the value or throws a message for the operator.
 */
export interface Setting<T> {
  readonly env: string;
  readonly description: string;
  readonly displayedDefault: string;
  readonly secret: boolean;
  readonly read: (text: string | undefined) => T;
  /** Throws if `production` does not accept this non-empty text. */
  readonly checkForProduction?: (text: string) => void;
}

export type Settings = Record<string, Setting<unknown>>;
export type Values<S extends Settings> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never };
export type Environment = Readonly<Record<string, string | undefined>>;

export const appEnv = choice(
  'APP_ENV',
  ['local', 'test', 'production'],
  'local',
  'Profile of default values: `local` creates missing credentials and listens on this machine only.',
);

/** The profile of `env`; undefined if it is unknown, which `readSettings` reports. */
export function profileOf(env: Environment): 'local' | 'test' | 'production' | undefined {
  try {
    return appEnv.read(env[appEnv.env]?.trim());
  } catch {
    return undefined;
  }
}

/** A rule for several settings, checked if each of them is valid. */
export interface CrossFieldRule<S extends Settings> {
  readonly fields: readonly (keyof S)[];
  readonly check: (values: Values<S>) => void;
}

/** One line per problem. */
export class SettingsError extends OperatorError {
  override readonly name = 'SettingsError';
}

/**
 * Reads settings from variables, secrets also from the file in `NAME_FILE`. An empty variable counts as not set. A blank
 * secret or an empty secret file is an error, because it would silently disable the protection.
 */
export function readSettings<S extends Settings>(
  settings: S,
  env: Environment,
  agreements: readonly CrossFieldRule<S>[] = [],
): Values<S> {
  const problems = new Set<string>();
  const values: Record<string, unknown> = {};
  const isProduction = profileOf(env) === 'production';
  for (const [key, setting] of Object.entries(settings)) {
    try {
      const value = textOf(setting, env);
      values[key] = setting.read(value);
      if (isProduction && value) setting.checkForProduction?.(value);
    } catch (error) {
      problems.add(`${setting.env}: ${messageOf(error)}`);
    }
  }
  for (const { fields, check } of agreements) {
    if (!fields.every((key) => key in values)) continue;
    try {
      check(values as Values<S>);
    } catch (error) {
      problems.add(messageOf(error));
    }
  }
  if (problems.size > 0) throw new SettingsError([...problems].join('\n'));
  return values as Values<S>;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** A secret. `read` gets an empty text for an empty variable, and undefined for one that is not set. */
export const secret = <T = string | undefined>(
  env: string,
  about: string,
  read: (text: string | undefined) => T = (text) => text as T,
): Setting<T> => ({ env, description: about, displayedDefault: 'not set', secret: true, read });

/** Text; an empty variable counts as not set. */
export function text<D extends string | undefined>(
  env: string,
  fallback: D,
  about: string,
  parse: (value: string) => string = (value) => value,
): Setting<string | D> {
  return textSetting<string | D>(env, about, fallback, parse);
}

export function integer<D extends number | undefined>(
  env: string,
  fallback: D,
  about: string,
  { min = 0, max = Number.MAX_SAFE_INTEGER } = {},
): Setting<number | D> {
  return textSetting<number | D>(env, about, fallback, (value) => {
    const number = Number(value);
    if (!Number.isInteger(number) || number < min || number > max) {
      throw new Error(`must be a whole number from ${min} to ${max}, not "${value}".`);
    }
    return number;
  });
}

export function choice<C extends string>(env: string, choices: readonly C[], fallback: C, about: string): Setting<C> {
  return textSetting(env, about, fallback, (value) => {
    if (!(choices as readonly string[]).includes(value)) {
      throw new Error(`must be one of ${choices.join(', ')}, not "${value}".`);
    }
    return value as C;
  });
}

export function flag(env: string, fallback: boolean, about: string): Setting<boolean> {
  return textSetting(env, about, fallback, (value) => {
    if (['true', '1', 'yes', 'on'].includes(value)) return true;
    if (['false', '0', 'no', 'off'].includes(value)) return false;
    throw new Error(`must be true or false, not "${value}".`);
  });
}

/** A comma-separated list; ignores empty parts and rejects a list without parts. `parse` converts a part or throws. */
export function list(
  env: string,
  fallback: readonly string[],
  about: string,
  parse: (part: string) => string = (part) => part,
): Setting<readonly string[]> {
  const parseAll = (value: string) => {
    const parts = splitList(value);
    if (parts.length === 0) throw new Error(EMPTY_LIST_MESSAGE);
    return parts.map(parse);
  };
  return textSetting(env, about, fallback, parseAll, fallback.join(',') || 'empty');
}

/** For a list like `,`: a setting that should be empty must be removed or left empty. */
export const EMPTY_LIST_MESSAGE = 'has no entry: write at least one, or remove the setting.';

/** Larger values exceed 32 bits as milliseconds, the limit of timers and of PostgreSQL's integers. */
export const MAX_SECONDS = 20 * 86_400;

export function secondsList(env: string, fallback: readonly number[], about: string): Setting<readonly number[]> {
  const parse = (value: string) => {
    const values = splitList(value).map(Number);
    if (values.length === 0 || !values.every((value) => value >= 0 && value <= MAX_SECONDS)) {
      throw new Error(`must be a list of seconds, each from 0 to ${MAX_SECONDS}, not "${value}".`);
    }
    return values;
  };
  return textSetting(env, about, fallback, parse, fallback.join(','));
}

export const splitList = (value: string): string[] =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function textSetting<T>(
  env: string,
  about: string,
  fallback: T,
  parse: (value: string) => T,
  shownDefault = fallback === undefined ? 'not set' : String(fallback),
): Setting<T> {
  const read = (value: string | undefined) => (value === undefined || value === '' ? fallback : parse(value));
  return { env, description: about, displayedDefault: shownDefault, secret: false, read };
}

function textOf({ env: name, secret }: Setting<unknown>, env: Environment): string | undefined {
  const raw = env[name];
  const file = secret ? env[`${name}_FILE`] : undefined;
  if (file === undefined) {
    const value = raw?.trim();
    if (secret && value === '' && raw !== '')
      throw new Error('is only white space: write a value, or remove the setting.');
    return value;
  }
  // Containers often pass empty variables for missing ones.
  if (raw !== undefined && raw !== '') throw new Error(`set it or ${name}_FILE, not both.`);
  const value = contentOf(file.trim());
  if (value === undefined) throw new Error(`${name}_FILE names a file that cannot be read.`);
  if (value === '') throw new Error(`${name}_FILE names an empty file.`);
  return value;
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}
