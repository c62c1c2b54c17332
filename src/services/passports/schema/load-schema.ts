import { readFileSync } from 'node:fs';
import { OperatorError } from '../../../base/operator-error.ts';
import { DEFAULT_SCHEMA } from './default-schema.ts';
import { checkSchema, type Schema } from './schema.ts';

/** Throws {@link OperatorError}. */
export function loadSchema(file?: string): Schema {
  if (file === undefined) return DEFAULT_SCHEMA;
  return checkSchema(parse(file), file);
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new OperatorError(`${file} cannot be read as JSON: ${(error as Error).message}.`);
  }
}
