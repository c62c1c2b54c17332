import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '../../base/operator-error.ts';
import type { Installed, Shelf } from '../../ml/weights.ts';

export const SHIPPED = fileURLToPath(new URL('../../../models/defectoscopy/', import.meta.url));

export const trainedIn = (dataDir: string) => join(dataDir, 'models', 'defectoscopy');

/** A trained version must be selected explicitly. */
export function newestShipped(shelf: Shelf, shipped: string): Installed {
  const newest = shelf.versions().findLast(({ folder }) => folder.startsWith(shipped));
  if (!newest) throw new OperatorError(`No model version is installed in ${shipped}.`);
  return newest;
}
