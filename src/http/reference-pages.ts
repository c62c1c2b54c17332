import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../base/api-error.ts';
import { matchesETag, weakETag } from './etag.ts';
import { type Asset, referenceAsset } from './reference-assets.ts';

const PAGES = {
  '/docs': { scripts: ['scalar.js', 'scalar-start.js'], styles: [] },
  '/swagger': { scripts: ['swagger-ui.js', 'swagger-start.js'], styles: ['swagger-ui.css'] },
  '/redoc': { scripts: ['redoc.js', 'redoc-start.js'], styles: [] },
} as const;

// The viewers create style elements at run time; Redoc's search uses a blob worker.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  'worker-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/** Public OpenAPI description and reference pages, which work offline: their policy forbids requests to other hosts. */
export async function referencePages(app: FastifyInstance, { title }: { title: string }): Promise<void> {
  const open = { config: { access: 'public' as const }, schema: { hide: true } };
  const state: { description?: string; etag?: string } = {};

  app.get('/openapi.json', open, (request, reply) => {
    state.description ??= JSON.stringify(app.swagger());
    state.etag ??= weakETag(state.description);
    void reply.type('application/json').header('cache-control', 'no-cache').header('etag', state.etag);
    if (matchesETag(request.headers['if-none-match'], state.etag)) return reply.code(304).send();
    return reply.send(state.description);
  });

  for (const [path, { scripts, styles }] of Object.entries(PAGES)) {
    app.get(path, open, async (_request, reply) => {
      const [hrefs, sources] = await Promise.all([Promise.all(styles.map(urlOf)), Promise.all(scripts.map(urlOf))]);
      void reply.headers(HEADERS);
      return html(title, hrefs, sources);
    });
  }

  app.get<{ Params: { version: string; name: string } }>('/reference/:version/:name', open, async (request, reply) => {
    const asset = await referenceAsset(request.params.name);
    if (asset === undefined || asset.version !== request.params.version) throw notFound();
    return sendAsset(asset, request, reply);
  });
}

// Relative URLs, so that the pages work below a proxy's path.
async function urlOf(name: string): Promise<string> {
  return `reference/${(await referenceAsset(name))!.version}/${name}`;
}

function html(title: string, styles: readonly string[], scripts: readonly string[]): string {
  const head = styles.map((href) => `<link rel="stylesheet" href="${href}">`).join('');
  const tail = scripts.map((src) => `<script src="${src}"></script>`).join('');
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width, initial-scale=1">' +
    // An empty icon prevents a request for /favicon.ico.
    `<link rel="icon" href="data:,"><title>${escapeText(title)}</title>${head}</head>` +
    `<body style="margin:0"><div id="app"></div>${tail}</body></html>`
  );
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function sendAsset(asset: Asset, request: FastifyRequest, reply: FastifyReply): Buffer | FastifyReply {
  const etag = `W/"${asset.version}"`;
  void reply
    .type(asset.type)
    .headers({ 'cache-control': 'public, max-age=31536000, immutable', etag, vary: 'Accept-Encoding' });
  if (matchesETag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return asset.body;
  void reply.header('content-encoding', 'gzip');
  return asset.gzipped;
}
