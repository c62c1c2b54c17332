import { readFileSync } from 'node:fs';
import { OperatorError } from './operator-error.ts';

/**
 * One setting: where it comes from, what it may be, and the sentence that documents it. `read` gets the text of the
 * variable without surrounding white space (undefined: not defined at all) and returns the value or throws a sentence.
 */
export interface Setting<T> {
  readonly env: string;
  readonly about: string;
  readonly shownDefault: string;
  readonly secret: boolean;
  readonly read: (text: string | undefined) => T;
  /** Throws the reason why `production` does not accept this text; called only with a text that is not empty. */
  readonly checkForProduction?: (text: string) => void;
}

export type Settings = Record<string, Setting<unknown>>;
export type Values<S extends Settings> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never };
export type Environment = Readonly<Record<string, string | undefined>>;

export const appEnv = choice(
  'APP_ENV',
  ['local', 'test', 'production'],
  'local',
  'Changes defaults only: `local` makes missing credentials itself and listens on this machine alone.',
);

/** The profile that `env` names; undefined where it names an unknown one, which stops the start where `appEnv` is read. */
export function profileOf(env: Environment): 'local' | 'test' | 'production' | undefined {
  try {
    return appEnv.read(env[appEnv.env]?.trim());
  } catch {
    return undefined;
  }
}

/** What settings may not say together: looked at once each of them, by itself, can be read. */
export interface Agreement<S extends Settings> {
  readonly between: readonly (keyof S)[];
  /** Throws the sentence. */
  readonly check: (values: Values<S>) => void;
}

/** Every problem of a configuration at once, a sentence each: nobody should have to start five times to see five faults. */
export class SettingsProblem extends OperatorError {
  override readonly name = 'SettingsProblem';
}

/**
 * Reads settings once; every secret `NAME` may also come from the file that `NAME_FILE` names. An empty variable counts
 * as one that is not set. A secret that is only white space, or whose file is empty, is a problem: it would silently
 * switch off what it protects.
 */
export function readSettings<S extends Settings>(
  settings: S,
  env: Environment,
  agreements: readonly Agreement<S>[] = [],
): Values<S> {
  // A set: two agreements may stumble over the same stone.
  const problems = new Set<string>();
  const values: Record<string, unknown> = {};
  const isProduction = profileOf(env) === 'production';
  for (const [key, setting] of Object.entries(settings)) {
    try {
      const given = textOf(setting, env);
      values[key] = setting.read(given);
      if (isProduction && given) setting.checkForProduction?.(given);
    } catch (error) {
      problems.add(`${setting.env}: ${sentence(error)}`);
    }
  }
  for (const { between, check } of agreements) {
    if (!between.every((key) => key in values)) continue;
    try {
      check(values as Values<S>);
    } catch (error) {
      problems.add(sentence(error));
    }
  }
  if (problems.size > 0) throw new SettingsProblem([...problems].join('\n'));
  return values as Values<S>;
}

const sentence = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Text as it was set: undefined when the variable is not defined at all, which is not the same as empty. */
export const verbatim = (
  env: string,
  about: string,
  options: { secret?: boolean } = {},
): Setting<string | undefined> => ({
  env,
  about,
  shownDefault: 'not set',
  secret: options.secret ?? false,
  read: (text) => text,
});

/** Text where not set and empty mean the same. */
export function text<D extends string | undefined>(
  env: string,
  fallback: D,
  about: string,
  parse: (given: string) => string = (given) => given,
): Setting<string | D> {
  return plain<string | D>(env, about, fallback, parse);
}

export function integer<D extends number | undefined>(
  env: string,
  fallback: D,
  about: string,
  { min = 0, max = Number.MAX_SAFE_INTEGER } = {},
): Setting<number | D> {
  return plain<number | D>(env, about, fallback, (given) => {
    const value = Number(given);
    if (!Number.isInteger(value) || value < min || value > max) {
      throw new Error(`must be a whole number from ${min} to ${max}, not "${given}".`);
    }
    return value;
  });
}

export function choice<C extends string>(env: string, choices: readonly C[], fallback: C, about: string): Setting<C> {
  return plain(env, about, fallback, (given) => {
    if (!(choices as readonly string[]).includes(given)) {
      throw new Error(`must be one of ${choices.join(', ')}, not "${given}".`);
    }
    return given as C;
  });
}

export function flag(env: string, fallback: boolean, about: string): Setting<boolean> {
  return plain(env, about, fallback, (given) => {
    if (['true', '1', 'yes', 'on'].includes(given)) return true;
    if (['false', '0', 'no', 'off'].includes(given)) return false;
    throw new Error(`must be true or false, not "${given}".`);
  });
}

/**
 * A comma-separated list; empty parts are left out, and a list of nothing else is refused. `parse` returns what a part
 * means or throws what is wrong with it.
 */
export function list(
  env: string,
  fallback: readonly string[],
  about: string,
  parse: (part: string) => string = (part) => part,
): Setting<readonly string[]> {
  const parseAll = (given: string) => {
    const parts = split(given);
    if (parts.length === 0) throw new Error(NO_ENTRY);
    return parts.map(parse);
  };
  return plain(env, about, fallback, parseAll, fallback.join(',') || 'empty');
}

/** For a list that is written but names nothing: a setting that is meant to be empty is left out or left empty. */
export const NO_ENTRY = 'has no entry: write at least one, or leave it out.';

/** Beyond this, seconds as milliseconds leave the range of 32 bits, which timers and integers of the database share. */
export const LONGEST_SECONDS = 20 * 86_400;

/** Seconds, ascending or not, as a comma-separated list. */
export function secondsList(env: string, fallback: readonly number[], about: string): Setting<readonly number[]> {
  const parse = (given: string) => {
    const values = split(given).map(Number);
    if (values.length === 0 || !values.every((value) => value >= 0 && value <= LONGEST_SECONDS)) {
      throw new Error(`must be a list of seconds, each from 0 to ${LONGEST_SECONDS}, not "${given}".`);
    }
    return values;
  };
  return plain(env, about, fallback, parse, fallback.join(','));
}

export const split = (given: string): string[] =>
  given
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function plain<T>(
  env: string,
  about: string,
  fallback: T,
  parse: (given: string) => T,
  shownDefault = fallback === undefined ? 'not set' : String(fallback),
): Setting<T> {
  const read = (given: string | undefined) => (given === undefined || given === '' ? fallback : parse(given));
  return { env, about, shownDefault, secret: false, read };
}

/** The one place where the text of a setting is trimmed, of a variable and of a file alike. */
function textOf({ env: name, secret }: Setting<unknown>, env: Environment): string | undefined {
  const written = env[name];
  const file = secret ? env[`${name}_FILE`] : undefined;
  if (file === undefined) {
    const given = written?.trim();
    if (secret && given === '' && written !== '')
      throw new Error('is only white space: write a value, or leave it out.');
    return given;
  }
  // Containers pass what is not set as an empty variable.
  if (written !== undefined && written !== '') throw new Error(`set it or ${name}_FILE, not both.`);
  const given = contentsOf(file.trim());
  if (given === undefined) throw new Error(`${name}_FILE names a file that cannot be read.`);
  if (given === '') throw new Error(`${name}_FILE names an empty file.`);
  return given;
}

function contentsOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}
