export const ARCHIVE_TYPES = ['application/zip', 'application/x-zip-compressed'];
export const MAX_ARCHIVE_BYTES = 4 * 2 ** 30;

const ARCHIVE = { type: 'string', format: 'binary', description: 'A ZIP archive.' };

/** The OpenAPI description of a body. */
export const ARCHIVE_BODIES = {
  'application/zip': { schema: ARCHIVE },
  'multipart/form-data': { schema: { type: 'object', required: ['file'], properties: { file: ARCHIVE } } },
};
