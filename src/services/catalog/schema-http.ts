import { Type } from 'typebox';
import { WITHOUT_NUL } from '../../http/storable.ts';

/** What an id of a record can be: whatever was imported under it, in any script. The database has no zero character. */
export const RecordId = Type.String({ minLength: 1, maxLength: 200, pattern: WITHOUT_NUL });

export const RecordParams = Type.Object({ record_id: RecordId });
