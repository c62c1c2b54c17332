import { OperatorError } from '../base/operator-error.ts';
import { parseUrl } from '../base/parse-url.ts';

/** The base address in `text`, without a slash at the end. `option` names its option in errors. */
export function parseServerUrl(text: string, option = ''): string {
  const url = parseUrl(text);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new OperatorError(`${option}${text} is not an http or https URL.`);
  }
  if (url.username || url.password) {
    throw new OperatorError('The URL contains a user name; pass credentials with --token.');
  }
  return url.origin + url.pathname.replace(/(?<!\/)\/+$/, '');
}

/** A copied token can contain look-alike characters. */
export function validateToken(token: string | undefined): string | undefined {
  if (token === undefined || /^[\x20-\x7e]*$/.test(token)) return token;
  throw new OperatorError('The token contains characters that are not allowed in a token: copy it again.');
}
