import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../../base/operator-error.ts';
import { isVersionName } from '../../ml/manifest.ts';

/** The name that was asked for, or the date and the first number that is free; throws when there is such a version. */
export async function versionName(asked: string | undefined, roots: readonly string[], now: Date): Promise<string> {
  const isTaken = async (name: string) => {
    const found = await Promise.all(roots.map((root) => stat(join(root, name)).catch(() => undefined)));
    return found.some((place) => place !== undefined);
  };
  if (asked === undefined) {
    const date = now.toISOString().slice(0, 10);
    for (let number = 1; ; number++) if (!(await isTaken(`${date}.${number}`))) return `${date}.${number}`;
  }
  if (!isVersionName(asked)) {
    throw new OperatorError(
      `“${asked}” is no name for a version: letters, digits, dots, hyphens and underscores, at most 64.`,
    );
  }
  if (await isTaken(asked)) throw new OperatorError(`There is a version ${asked} already; give another --name.`);
  return asked;
}
