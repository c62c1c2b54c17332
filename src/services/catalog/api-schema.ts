import { type TSchema, Type } from 'typebox';
import { WITHOUT_NUL } from '../../http/text-patterns.ts';

/** Any text in any script, without NUL, which PostgreSQL cannot store. */
export const RecordId = Type.String({ minLength: 1, maxLength: 200, pattern: WITHOUT_NUL });

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const RecordParams = Type.Object({ record_id: RecordId });
