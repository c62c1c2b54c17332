import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '../../../base/operator-error.ts';

const FOLDER = fileURLToPath(new URL('../../../../models/passports/1.0.0/', import.meta.url));

export type BundledFile = 'fields.onnx' | 'words.onnx' | 'words.txt';

/** The path of a model file that ships with the product. Throws an {@link OperatorError} if it is missing or damaged. */
export async function bundledFile(name: BundledFile, folder = FOLDER): Promise<string> {
  try {
    const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as {
      files: Record<string, { sha256: string }>;
    };
    const path = join(folder, name);
    const digest = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    if (digest !== manifest.files[name]?.sha256) throw new Error('its SHA-256 differs from manifest.json');
    return path;
  } catch (error) {
    throw new OperatorError(
      `The file ${name} of the model for passports in ${folder} is missing or damaged (${error instanceof Error ? error.message : error}). Install the product again.`,
    );
  }
}
