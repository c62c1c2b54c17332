import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** Form field name; no document field has this name. */
export const CSRF_FIELD = 'csrf_token';

export type Csrf = ReturnType<typeof createCsrf>;

export function createCsrf(secret: string) {
  const token = (session: string) => createHmac('sha256', secret).update(`csrf\0${session}`).digest('base64url');
  return {
    token,
    // Hashed, because `timingSafeEqual` needs equal lengths.
    isValid: (session: string, candidate: string): boolean =>
      timingSafeEqual(hash('sha256', candidate, 'buffer'), hash('sha256', token(session), 'buffer')),
  };
}
