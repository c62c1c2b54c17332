import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';

/** Parses JSON and checks it against the schema. The error has the first problem in the file `name`. */
export function parseJson<Schema extends TSchema>(schema: Schema, text: string, name: string): Static<Schema> {
  const value: unknown = JSON.parse(text);
  if (Value.Check(schema, value)) return value as Static<Schema>;
  const [first] = Value.Errors(schema, value);
  throw new Error(`${name}${first?.instancePath ?? ''} ${first?.message ?? 'is not valid'}.`);
}
