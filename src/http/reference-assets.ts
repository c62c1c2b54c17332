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
  /** A hash of the content; part of the address, so that a browser may keep the file for ever. */
  readonly version: string;
}

const require = createRequire(import.meta.url);

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

// The config of each viewer is a file of its own and not an inline script, so that the pages' policy can forbid those.
// All three are told to leave their makers' services alone: proxies, fonts, telemetry, validators, assistants, logos.
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
  'swagger-ui.js': { type: SCRIPT, load: () => packaged(require.resolve('swagger-ui-dist/swagger-ui-bundle.js')) },
  'swagger-ui.css': { type: STYLE, load: () => packaged(require.resolve('swagger-ui-dist/swagger-ui.css')) },
  'swagger-start.js': { type: SCRIPT, load: async () => START_SWAGGER },
  'redoc.js': { type: SCRIPT, load: redocBundle },
  'redoc-start.js': { type: SCRIPT, load: async () => START_REDOC },
};

const loaded = new Map<string, Promise<Asset>>();

/** One file of the reference pages, or `undefined`. Read, hashed and compressed once per process, when first wanted. */
export function referenceAsset(name: string): Promise<Asset> | undefined {
  const source = Object.hasOwn(SOURCES, name) ? SOURCES[name] : undefined;
  if (source === undefined) return undefined;
  let asset = loaded.get(name);
  if (asset === undefined) {
    asset = load(source);
    loaded.set(name, asset);
    // A file that could not be read now may be there at the next request.
    asset.catch(() => loaded.delete(name));
  }
  return asset;
}

async function load({ type, load }: { type: string; load: () => Promise<string> }): Promise<Asset> {
  const body = Buffer.from(await load());
  const version = createHash('sha256').update(body).digest('hex').slice(0, 16);
  return { type, body, gzipped: await promisify(gzip)(body), version };
}

/** A package's file, without the pointer to its source map: we do not serve those. */
async function packaged(path: string): Promise<string> {
  const text = await readFile(path, 'utf8');
  return text.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n');
}

/** Redoc shows its maker's logo from their host; the words beside it stay, the picture becomes an empty one. */
async function redocBundle(): Promise<string> {
  const text = await packaged(require.resolve('redoc/bundles/redoc.standalone.js'));
  return text.replaceAll(
    'https://cdn.redoc.ly/redoc/logo-mini.svg',
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>",
  );
}

/** Scalar's package keeps its bundle inside a Fastify plugin: so one is set up for a moment and asked for it. */
async function scalarBundle(): Promise<string> {
  const donor = fastify();
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  await donor.register(plugin, { routePrefix: '/', configuration: { url: 'openapi.json' } });
  const { body, statusCode } = await donor.inject('/js/scalar.js');
  await donor.close();
  if (statusCode !== 200) throw new Error('The bundle of the API reference is not where its package used to keep it.');
  return body.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n');
}
