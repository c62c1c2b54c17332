import { InvalidInput } from '../../../http/validation-details.ts';
import type { FieldRange } from './search-types.ts';

/** At most 15 digits, which a double represents exactly; JavaScript prints them without an exponent. */
const NUMBER = /^-?\d{1,9}(?:\.\d{1,6})?$/;

/** `FIELD:MIN..MAX`; either number can be missing. The field can contain colons. */
export function parseRange(text: string): FieldRange {
  const at = text.lastIndexOf(':');
  const [min, max, ...others] = text.slice(at + 1).split('..');
  const ends = [min, max].filter((end) => end !== '');
  if (at < 1 || others.length > 0 || ends.length === 0 || !ends.every((end) => NUMBER.test(end ?? ''))) {
    const msg = 'Input should be a range of a field, like general:year_built:1960..1980 or areas:total_area:50..';
    throw new InvalidInput([{ loc: ['query', 'range'], msg, type: 'value_error', input: text.slice(0, 200) }]);
  }
  return { field: text.slice(0, at), ...(min && { min: Number(min) }), ...(max && { max: Number(max) }) };
}

export const formatRange = ({ field, min, max }: FieldRange): string => `${field}:${min ?? ''}..${max ?? ''}`;
