import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../../base/operator-error.ts';
import { isVersionName } from '../../ml/manifest.ts';

/** The requested version name, or the date with the next free number. Throws if the name is taken. */
export async function versionName(requested: string | undefined, roots: readonly string[], now: Date): Promise<string> {
  const isTaken = async (name: string) => {
    const found = await Promise.all(roots.map((root) => stat(join(root, name)).catch(() => undefined)));
    return found.some((place) => place !== undefined);
  };
  if (requested === undefined) {
    const date = now.toISOString().slice(0, 10);
    for (let number = 1; ; number++) if (!(await isTaken(`${date}.${number}`))) return `${date}.${number}`;
  }
  if (!isVersionName(requested)) {
    throw new OperatorError(
      `“${requested}” is not a valid version name. Use at most 64 letters, digits, dots, hyphens and underscores.`,
    );
  }
  if (await isTaken(requested)) throw new OperatorError(`Version ${requested} already exists. Choose another --name.`);
  return requested;
}
