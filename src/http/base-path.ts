import type { Gateway } from './gateway.ts';

/** The path of this service below its public host: `/`, or a path without a trailing slash. */
export function basePath(publicUrl: string | undefined): string {
  const path = publicUrl === undefined ? '/' : new URL(publicUrl).pathname.replace(/(?<!\/)\/+$/, '');
  return path === '' ? '/' : path;
}

/** Prefixes redirects (`Location`) with the base path. */
export function prefixRedirects(app: Gateway, base: string): void {
  if (base === '/') return;
  app.addHook('onSend', async (_, reply) => {
    const location = reply.getHeader('location');
    if (typeof location === 'string' && location.startsWith('/')) void reply.header('location', base + location);
  });
}
