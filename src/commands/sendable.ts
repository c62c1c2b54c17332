import { OperatorError } from '../base/operator-error.ts';

/** Throws when a token cannot be an HTTP header value, for example after a copy with look-alike characters. */
export function sendable(token: string | undefined): string | undefined {
  if (token === undefined || /^[\x20-\x7e]*$/.test(token)) return token;
  throw new OperatorError('The token contains characters that are not allowed in a token: copy it again.');
}
