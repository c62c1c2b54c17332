import { InvalidInput } from '../../../http/validation-details.ts';
import type { Attribute } from './search-types.ts';

/** `FIELD=VALUE`; the value can contain equals signs. */
export function parseAttribute(key: 'attribute' | 'not_attribute', text: string): Attribute {
  const at = text.indexOf('=');
  const value = text.slice(at + 1).trim();
  if (at < 1 || value === '') {
    const msg = 'Input should be FIELD=VALUE, a field and its value, like inspector=Petrov or general:purpose=school';
    throw new InvalidInput([{ loc: ['query', key], msg, type: 'value_error', input: text.slice(0, 200) }]);
  }
  return { field: text.slice(0, at), value };
}

export const formatAttribute = ({ field, value }: Attribute): string => `${field}=${value}`;
