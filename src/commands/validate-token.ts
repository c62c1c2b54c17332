import { OperatorError } from '../base/operator-error.ts';

/** A copied token can contain look-alike characters. */
export function validateToken(token: string | undefined): string | undefined {
  if (token === undefined || /^[\x20-\x7e]*$/.test(token)) return token;
  throw new OperatorError('The token contains characters that are not allowed in a token: copy it again.');
}
