import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '../../base/operator-error.ts';
import type { Installed, Shelf } from '../../ml/weights.ts';

/** The folder of the bundled model versions. */
export const SHIPPED = fileURLToPath(new URL('../../../models/defectoscopy/', import.meta.url));

/** The folder of the locally trained model versions. */
export const trainedIn = (dataDir: string) => join(dataDir, 'models', 'defectoscopy');

/** The default version: the newest bundled one. A trained version must be selected explicitly. */
export function newestShipped(shelf: Shelf, shipped: string): Installed {
  const newest = shelf.versions().findLast(({ folder }) => folder.startsWith(shipped));
  if (!newest) throw new OperatorError(`No model version is installed in ${shipped}.`);
  return newest;
}
