import { checkSchema, type Schema } from './schema.ts';
import technicalPassport from './technical-passport.json' with { type: 'json' };

/** As issued by Russian inventory offices for flats, houses and non-residential buildings. */
export const DEFAULT_SCHEMA: Schema = checkSchema(technicalPassport, 'technical-passport.json');
