import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '../../base/operator-error.ts';
import type { Installed, Shelf } from '../../ml/weights.ts';

/** The versions that come with the product. */
export const SHIPPED = fileURLToPath(new URL('../../../models/defectoscopy/', import.meta.url));

/** The versions that were trained here. */
export const trainedIn = (dataDir: string) => join(dataDir, 'models', 'defectoscopy');

/** The default: a version that is newly installed is not it by itself, only what comes with the product is. */
export function newestShipped(shelf: Shelf, shipped: string): Installed {
  const newest = shelf.versions().findLast(({ folder }) => folder.startsWith(shipped));
  if (!newest) throw new OperatorError(`No model version is installed in ${shipped}.`);
  return newest;
}
