import type { CompletedDocument, Edit } from '../../../src/services/passports/documents.ts';
import type { Field, Value } from '../../../src/services/passports/extraction.ts';
import type { Box } from '../../../src/services/passports/page-geometry.ts';

export function read(value: Value, bbox: Box | null = null, confidence: number | null = 0.9): Field {
  return { value, confidence, source: 'text', page: bbox && 1, bbox, text: String(value) };
}

export function opened(
  fields: Readonly<Record<string, Field>>,
  more: Partial<Pick<CompletedDocument, 'id' | 'filename' | 'createdAt'>> & { edits?: readonly Edit[] } = {},
): CompletedDocument {
  return {
    id: '01926b3e-0000-7000-8000-000000000001',
    project: null,
    tags: null,
    filename: 'Квартира 31.pdf',
    status: 'SUCCESS',
    cached: false,
    createdAt: new Date('2026-11-20T10:00:00Z'),
    updatedAt: new Date('2026-11-20T10:01:00Z'),
    version: 1,
    errorType: null,
    error: null,
    progress: null,
    fileKey: 'file',
    sizeBytes: 1,
    edits: [],
    confirmation: null,
    ...more,
    extraction: {
      schema: { id: 'technical_passport', version: '1' },
      fields,
      pages: 1,
      sheets: [{ reader: 'text', width: 600, height: 800, turn: 0, picture: 'picture-1' }],
      engine: { llm_provider: 'none', model: null, version: '0.1.0' },
      warnings: [],
    },
  };
}
