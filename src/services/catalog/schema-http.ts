import { Type } from 'typebox';

/** What an id of a record can be: whatever was imported under it, in any script. The database has no zero character. */
export const RecordId = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000]*$' });

export const RecordParams = Type.Object({ record_id: RecordId });
