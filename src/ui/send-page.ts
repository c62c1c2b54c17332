import type { FastifyReply } from 'fastify';

// A page may ask only the listener it came from. No inline script or style, no plugin, no frame around it; `blob:` is
// for a file that the person has chosen, shown or played back.
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

/** The policy that all our pages share. `forms`: theirs are meant to be sent, to this listener. */
export const pagePolicy = ({ forms = false }: { forms?: boolean } = {}): string =>
  `${POLICY}; form-action ${forms ? "'self'" : "'none'"}`;

/**
 * Sends a page in `language` with the strict policy that all our pages share. Its forms go nowhere without a script,
 * since a token must never end up in an address, unless `forms` says that they are meant to: to this listener, then. A
 * `personal` page shows what is somebody's, and is kept nowhere.
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
      // Not `no-referrer`: a browser then says of our own forms that they come from nowhere, and they count as somebody else's.
      'referrer-policy': 'same-origin',
      vary: 'Accept-Language',
    })
    .send(html);
}
