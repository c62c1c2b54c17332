import { OperatorError } from '../base/operator-error.ts';

/** A token that can stand in a header. What is copied from a page or an e-mail may come with what looks alike. */
export function sendable(token: string | undefined): string | undefined {
  if (token === undefined || /^[\x20-\x7e]*$/.test(token)) return token;
  throw new OperatorError('The token has letters in it that no token has: copy it anew, whole and alone.');
}
