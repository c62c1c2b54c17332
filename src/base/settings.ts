import { readFileSync } from 'node:fs';
import { OperatorError } from './operator-error.ts';

/**
 * One setting: where it comes from, what it may be, and the sentence that documents it. `read` gets the text of the
 * variable (undefined: not defined at all) and answers the value or throws a `SettingProblem`.
 */
export interface Setting<T> {
  readonly env: string;
  readonly about: string;
  readonly shownDefault: string;
  readonly secret: boolean;
  readonly read: (text: string | undefined) => T;
}

export type Settings = Record<string, Setting<unknown>>;
export type Values<S extends Settings> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never };
export type Environment = Readonly<Record<string, string | undefined>>;

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

/** Reads settings once; every secret `NAME` may also come from the file that `NAME_FILE` names. */
export function readSettings<S extends Settings>(
  settings: S,
  env: Environment,
  agreements: readonly Agreement<S>[] = [],
): Values<S> {
  // A set: two agreements may stumble over the same stone.
  const problems = new Set<string>();
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries(settings)) {
    try {
      values[key] = setting.read(textOf(setting, env));
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

/** The text as it was set: undefined when the variable is not defined at all, which is not the same as empty. */
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

export function integer(
  env: string,
  fallback: number,
  about: string,
  { min = 0, max = Number.MAX_SAFE_INTEGER } = {},
): Setting<number> {
  return plain(env, about, fallback, (given) => {
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

/** A comma-separated list; empty parts are left out. `parse` answers what a part means or throws what is wrong with it. */
export function list(
  env: string,
  fallback: readonly string[],
  about: string,
  parse: (part: string) => string = (part) => part,
): Setting<readonly string[]> {
  return plain(env, about, fallback, (given) => split(given).map(parse), fallback.join(',') || 'empty');
}

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
  const read = (given: string | undefined) =>
    given === undefined || given.trim() === '' ? fallback : parse(given.trim());
  return { env, about, shownDefault, secret: false, read };
}

function textOf(setting: Setting<unknown>, env: Environment): string | undefined {
  const file = setting.secret ? env[`${setting.env}_FILE`] : undefined;
  if (file === undefined) return env[setting.env];
  if (env[setting.env] !== undefined) throw new Error(`set it or ${setting.env}_FILE, not both.`);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new Error(`${setting.env}_FILE names a file that cannot be read.`);
  }
}
