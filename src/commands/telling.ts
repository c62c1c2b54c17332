import { isUnavailable } from '../base/db-errors.ts';
import { OperatorError } from '../base/operator-error.ts';

const EVERY_MS = 200;

/** One line of a terminal that says how far something has come; nothing where nobody watches. */
export function statusLine(out: { isTTY?: boolean; write(text: string): unknown }) {
  // A process may be so young that its clock has not come to the first interval yet.
  let shownMs = Number.NEGATIVE_INFINITY;
  return {
    show(text: string): void {
      if (!out.isTTY || performance.now() - shownMs < EVERY_MS) return;
      shownMs = performance.now();
      out.write(`\r\x1b[K${text}`);
    },
    clear(): void {
      if (out.isTTY && shownMs >= 0) out.write('\r\x1b[K');
    },
  };
}

export const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

/** What PostgreSQL says where there is no such table. */
const UNDEFINED_TABLE = '42P01';

/** A database of an older version, or of somebody else; `nothing` is what the sentence says of it. */
export const notMigrated =
  (nothing: string) =>
  (error: unknown): never => {
    if ((error as { code?: unknown }).code !== UNDEFINED_TABLE) throw error;
    throw new OperatorError(`${nothing} in this database; \`assay migrate\` brings it to this version.`);
  };

/** A disk or a database that refuses is the operator's to mend, and gets a sentence; what nobody thought of stays as it is. */
export function inWords(error: unknown): never {
  if (!(error instanceof Error) || error instanceof OperatorError) throw error;
  if (isUnavailable(error)) throw new OperatorError(`The database does not answer: ${error.message}.`);
  const { syscall, severity } = error as { syscall?: unknown; severity?: unknown };
  if (syscall !== undefined) throw new OperatorError(`${error.message}.`);
  if (severity !== undefined) throw new OperatorError(`The database refuses: ${error.message}.`);
  throw error;
}
