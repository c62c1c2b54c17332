import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '../../../base/operator-error.ts';
import type { InstalledVersion, ModelDirectory } from '../../../ml/model-directory.ts';

export const SHIPPED_MODELS_DIR = fileURLToPath(new URL('../../../../models/defectoscopy/', import.meta.url));

export const trainedModelsDir = (dataDir: string) => join(dataDir, 'models', 'defectoscopy');

/** A trained version must be selected explicitly. */
export function newestShippedVersion(models: ModelDirectory, shipped: string): InstalledVersion {
  const newest = models.versions().findLast(({ folder }) => folder.startsWith(shipped));
  if (!newest) throw new OperatorError(`No model version is installed in ${shipped}.`);
  return newest;
}
