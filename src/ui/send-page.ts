import type { FastifyReply } from 'fastify';

// Requests only to the same listener; no inline scripts or styles, plugins or frames. `blob:` is for files that the
// person has chosen.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** The content security policy; `forms` allows form submissions to this listener. */
export const pagePolicy = ({ forms = false }: { forms?: boolean } = {}): string =>
  `${POLICY}; form-action ${forms ? "'self'" : "'none'"}`;

/**
 * Without a script, a form could put a token into a URL, so `forms` is false by default. A `personal` page is not
 * cached.
 */
export function sendPage(
  reply: FastifyReply,
  language: string,
  html: string,
  { forms = false, personal = false }: { forms?: boolean; personal?: boolean } = {},
): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy': pagePolicy({ forms }),
      'content-language': language,
      'cache-control': personal ? 'no-store' : 'no-cache',
      'cross-origin-opener-policy': 'same-origin',
      // With `no-referrer`, browsers send `Origin: null` with our own forms, which are then rejected as cross-site.
      'referrer-policy': 'same-origin',
      vary: 'Accept-Language',
    })
    .send(html);
}
