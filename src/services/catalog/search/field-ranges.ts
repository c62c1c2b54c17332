import { InvalidInput } from '../../../http/validation-details.ts';
import type { FieldRange } from './search-types.ts';

/** As many digits as a double represents. */
const NUMBER = /^-?(?=(?:\.?\d){1,15}$)\d+(?:\.\d+)?$/;

/** JavaScript prints the number without an exponent, so that it can be read again. */
const isNumber = (text: string | undefined) =>
  text !== undefined && NUMBER.test(text) && !String(Number(text)).includes('e');

/** `FIELD:MIN..MAX`; either number can be missing. The field can contain colons. */
export function parseRange(text: string): FieldRange {
  const at = text.lastIndexOf(':');
  const [min, max, ...others] = text.slice(at + 1).split('..');
  const ends = [min, max].filter((end) => end !== '');
  if (at < 1 || others.length > 0 || ends.length === 0 || !ends.every(isNumber)) {
    const msg =
      'Input should be a range of a field, like general:year_built:1960..1980 or areas:total_area:50.., with numbers of at most ' +
      '15 digits that are 0 or differ from it by at least 0.000001';
    throw new InvalidInput([{ loc: ['query', 'range'], msg, type: 'value_error', input: text.slice(0, 200) }]);
  }
  return { field: text.slice(0, at), ...(min && { min: Number(min) }), ...(max && { max: Number(max) }) };
}

export const formatRange = ({ field, min, max }: FieldRange): string => `${field}:${min ?? ''}..${max ?? ''}`;
