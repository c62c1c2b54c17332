import { createHash } from 'node:crypto';
import type { Schema } from './schema/schema.ts';
import type { Settings } from './settings.ts';

/** Increase it whenever the same document may give another result. */
export const ENGINE_VERSION = '30';

/** `contentHash` covers the file's bytes, or the images and rotations of a created PDF. */
export function computeCacheKey(
  contentHash: string,
  schema: Schema,
  settings: Pick<Settings, 'llmProvider' | 'llmModel'>,
): string {
  // The whole schema: a schema file can change without a new version.
  const parts = [contentHash, JSON.stringify(schema), ENGINE_VERSION, settings.llmProvider, settings.llmModel ?? ''];
  return createHash('sha256').update(parts.join('\0')).digest('hex');
}
