import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** Form field name; no document field has this name. */
export const CSRF_FIELD = 'csrf_token';

/** CSRF tokens, bound to a session. */
export interface Csrf {
  token(session: string): string;
  isValid(session: string, token: string): boolean;
}

export function createCsrf(secret: string): Csrf {
  const token = (session: string) => createHmac('sha256', secret).update(`csrf\0${session}`).digest('base64url');
  return {
    token,
    // Hashed, because `timingSafeEqual` needs equal lengths.
    isValid: (session, candidate) =>
      timingSafeEqual(hash('sha256', candidate, 'buffer'), hash('sha256', token(session), 'buffer')),
  };
}
