import { createHash } from 'node:crypto';
import type { Schema } from './schema/schema.ts';
import type { Own } from './settings.ts';

/** Version of the extraction engine. Increase it whenever the same document may give another result. */
export const ENGINE_VERSION = '1';

/**
 * Cache key of a document: its content hash plus everything that influences the result. `contentHash` covers the file's
 * bytes, or the images and rotations that a PDF is created from.
 */
export function contentKey(
  contentHash: string,
  schema: Schema,
  settings: Pick<Own, 'llmProvider' | 'llmModel'>,
): string {
  // The whole schema, because a schema file can change without a new version.
  const parts = [contentHash, JSON.stringify(schema), ENGINE_VERSION, settings.llmProvider, settings.llmModel ?? ''];
  return createHash('sha256').update(parts.join('\0')).digest('hex');
}
