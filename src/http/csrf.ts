import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** The name of the form field; no value of a document is called so. */
export const CSRF_FIELD = 'csrf_token';

/** Words that only our own page of one session can know, for its forms. */
export interface Csrf {
  token(session: string): string;
  holds(session: string, token: string): boolean;
}

export function openCsrf(secret: string): Csrf {
  const token = (session: string) => createHmac('sha256', secret).update(`csrf\0${session}`).digest('base64url');
  return {
    token,
    // Digests have one length, whatever was sent.
    holds: (session, given) =>
      timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', token(session), 'buffer')),
  };
}
