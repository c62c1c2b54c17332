import { isUnavailable } from '../base/db-errors.ts';
import { OperatorError } from '../base/operator-error.ts';

const EVERY_MS = 200;
export const CLEAR_LINE = '\r\x1b[K';

/** The environment of a command with readable output: on a terminal only warnings and errors are logged. */
export const quietOnTerminal = (): NodeJS.ProcessEnv =>
  process.stdout.isTTY ? { LOG_LEVEL: 'warn', ...process.env } : process.env;

/** Writes to terminals only. */
export function statusLine(out: { isTTY?: boolean; write(text: string): unknown }) {
  let shownMs = Number.NEGATIVE_INFINITY;
  return {
    show(text: string): void {
      if (!out.isTTY || performance.now() - shownMs < EVERY_MS) return;
      shownMs = performance.now();
      out.write(`${CLEAR_LINE}${text}`);
    },
    clear(): void {
      if (out.isTTY && shownMs >= 0) out.write(CLEAR_LINE);
    },
  };
}

/** A remote server must not send terminal escape sequences. */
export const onOneLine = (text: string) => text.replace(/\p{Cc}+/gu, ' ');

/** An argument of a command that a message suggests, for a POSIX shell. */
export const shellQuoted = (text: string) =>
  /^[\p{L}\p{N}_@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

export const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** SQLSTATE undefined_table. */
const UNDEFINED_TABLE = '42P01';

/** The database has an older schema or belongs to another program. */
export const notMigrated =
  (nothing: string) =>
  (error: unknown): never => {
    if ((error as { code?: unknown }).code !== UNDEFINED_TABLE) throw error;
    throw new OperatorError(`${nothing} in this database. Run \`node scripts/assay.mjs migrate\` to update it.`);
  };

/** Unexpected errors are rethrown unchanged. */
export function throwOperatorError(error: unknown): never {
  if (!(error instanceof Error) || error instanceof OperatorError) throw error;
  if (isUnavailable(error)) throw new OperatorError(`The database is unavailable: ${error.message}.`);
  const { syscall, severity } = error as { syscall?: unknown; severity?: unknown };
  if (syscall !== undefined) throw new OperatorError(`${error.message}.`);
  if (severity !== undefined) throw new OperatorError(`The database returned an error: ${error.message}.`);
  throw error;
}
