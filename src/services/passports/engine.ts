import { createHash } from 'node:crypto';
import type { Schema } from './schema/schema.ts';
import type { Own } from './settings.ts';

/** Of everything that turns a page into fields. Raised whenever the same document may come out differently. */
export const ENGINE_VERSION = '1';

/**
 * By what a repeated document is recognised: its content, and all that has a part in what is read from it. `contentHash`
 * is that of the bytes, or of the images and turns that a PDF is made from.
 */
export function contentKey(contentHash: string, schema: Schema, own: Pick<Own, 'llmProvider' | 'llmModel'>): string {
  // The whole schema, since a file may have been edited without a new version.
  const parts = [contentHash, JSON.stringify(schema), ENGINE_VERSION, own.llmProvider, own.llmModel ?? ''];
  return createHash('sha256').update(parts.join('\0')).digest('hex');
}
