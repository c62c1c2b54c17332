import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { fastify } from 'fastify';

export interface Asset {
  readonly type: string;
  readonly body: Buffer;
  readonly gzipped: Buffer;
  /** Content hash, part of the URL: browsers may cache the file forever. */
  readonly version: string;
}

const require = createRequire(import.meta.url);

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

// Separate files, because the pages' policy forbids inline scripts. All external services of the viewers are disabled.
const START_SCALAR = `Scalar.createApiReference('#app', {
  url: 'openapi.json',
  authentication: { preferredSecurityScheme: 'bearer' },
  proxyUrl: '',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  externalUrls: { dashboardUrl: '', registryUrl: '', proxyUrl: '', apiBaseUrl: '' },
});
`;
const START_SWAGGER = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#app',
  validatorUrl: null,
  deepLinking: true,
  presets: [SwaggerUIBundle.presets.apis],
});
`;
const START_REDOC = `Redoc.init('openapi.json', { nativeScrollbars: true }, document.getElementById('app'));
`;

const SOURCES: Record<string, { type: string; load: () => Promise<string> }> = {
  'scalar.js': { type: SCRIPT, load: scalarBundle },
  'scalar-start.js': { type: SCRIPT, load: async () => START_SCALAR },
  'swagger-ui.js': { type: SCRIPT, load: () => readPackaged(require.resolve('swagger-ui-dist/swagger-ui-bundle.js')) },
  'swagger-ui.css': { type: STYLE, load: () => readPackaged(require.resolve('swagger-ui-dist/swagger-ui.css')) },
  'swagger-start.js': { type: SCRIPT, load: async () => START_SWAGGER },
  'redoc.js': { type: SCRIPT, load: redocBundle },
  'redoc-start.js': { type: SCRIPT, load: async () => START_REDOC },
};

const loaded = new Map<string, Promise<Asset>>();

/** One file of the reference pages; undefined for an unknown name. Loaded once per process, at the first request. */
export function referenceAsset(name: string): Promise<Asset> | undefined {
  const source = Object.hasOwn(SOURCES, name) ? SOURCES[name] : undefined;
  if (source === undefined) return undefined;
  let asset = loaded.get(name);
  if (asset === undefined) {
    asset = load(source);
    loaded.set(name, asset);
    // The next request retries.
    asset.catch(() => loaded.delete(name));
  }
  return asset;
}

async function load({ type, load }: { type: string; load: () => Promise<string> }): Promise<Asset> {
  const body = Buffer.from(await load());
  const version = createHash('sha256').update(body).digest('hex').slice(0, 16);
  return { type, body, gzipped: await promisify(gzip)(body), version };
}

/** Reads a package's file and removes the reference to its source map. */
async function readPackaged(path: string): Promise<string> {
  const text = await readFile(path, 'utf8');
  return text.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n');
}

/** Replaces Redoc's externally hosted logo with an empty image. */
async function redocBundle(): Promise<string> {
  const text = await readPackaged(require.resolve('redoc/bundles/redoc.standalone.js'));
  return text.replaceAll(
    'https://cdn.redoc.ly/redoc/logo-mini.svg',
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>",
  );
}

/** Scalar's bundle is only available through its Fastify plugin: loads it from a temporary server. */
async function scalarBundle(): Promise<string> {
  const app = fastify();
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  await app.register(plugin, { routePrefix: '/', configuration: { url: 'openapi.json' } });
  const { body, statusCode } = await app.inject('/js/scalar.js');
  await app.close();
  if (statusCode !== 200) throw new Error('@scalar/fastify-api-reference does not serve its bundle at /js/scalar.js.');
  return body.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n');
}
