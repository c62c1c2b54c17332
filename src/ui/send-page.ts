import type { FastifyReply } from 'fastify';

// A page may ask only the listener it came from. No inline script or style, no plugin, no frame around it; `blob:` is
// for a file that the person has chosen, shown or played back. Nothing is submitted by a form without a script: a token must
// never end up in an address.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  'media-src blob:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** Sends a page in `language` with the strict policy that all our pages share. */
export function sendPage(reply: FastifyReply, language: string, html: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy': POLICY,
      'content-language': language,
      'cache-control': 'no-cache',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      vary: 'Accept-Language',
    })
    .send(html);
}
