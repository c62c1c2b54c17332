import type { Gateway } from './gateway.ts';

/** The part of the host that is ours, where a proxy shares it with others: `/` or a path without a slash at its end. */
export function basePath(publicUrl: string | undefined): string {
  const path = publicUrl === undefined ? '/' : new URL(publicUrl).pathname.replace(/(?<!\/)\/+$/, '');
  return path === '' ? '/' : path;
}

/** Routes send browsers to addresses of this listener; where a proxy shares its host, those lie below our part of it. */
export function locateBelow(app: Gateway, base: string): void {
  if (base === '/') return;
  app.addHook('onSend', async (_, reply) => {
    const to = reply.getHeader('location');
    if (typeof to === 'string' && to.startsWith('/')) void reply.header('location', base + to);
  });
}
