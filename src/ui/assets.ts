import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { notFound } from '../base/api-error.ts';

/** The package root, from `src/` or `dist/`. */
const PACKAGE = new URL('../../', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.jpg': 'image/jpeg',
  '.mp3': 'audio/mpeg',
};

interface Asset {
  readonly type: string;
  readonly body: Buffer;
  /** Absent for formats that are already compressed. */
  readonly gzipped?: Buffer;
  /** Relative paths of the modules that a script imports. */
  readonly imports: readonly string[];
}

declare module 'fastify' {
  interface FastifyInstance {
    assets?: () => Promise<Assets>;
  }
}

/** The static files of a listener. */
export interface Assets {
  /** The URL of `name`, relative to the page at `/`; undefined if the file does not exist. */
  address(name: string): string | undefined;
  /** The URLs of a script and of all that it imports, for preloading. */
  scripts(name: string): string[];
}

/**
 * Serves the browser files in these folders of `dist/` and these files of the package. The version in a URL is a hash
 * of all files: scripts import each other by relative paths, so all must come from one build, which browsers cache
 * permanently.
 */
export function assetRoutes(
  app: FastifyInstance,
  { folders, files }: { folders: readonly string[]; files: readonly string[] },
): () => Promise<Assets> {
  // Read on first use: a gateway without page requests needs no build.
  let loading: ReturnType<typeof readAll> | undefined;
  const loadOnce = () => {
    loading ??= readAll(folders, files);
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  };

  app.get<{ Params: { version: string; '*': string } }>(
    '/assets/:version/*',
    { config: { access: 'public' }, schema: { hide: true } },
    async (request, reply) => {
      const { version, assets } = await loadOnce();
      const asset = assets.get(request.params['*']);
      if (asset === undefined || request.params.version !== version) throw notFound();
      const etag = `"${version}"`;
      reply.headers({ 'cache-control': 'public, max-age=31536000, immutable', etag, vary: 'Accept-Encoding' });
      if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send();
      reply.type(asset.type);
      if (asset.gzipped === undefined || !/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) {
        return asset.body;
      }
      reply.header('content-encoding', 'gzip');
      return asset.gzipped;
    },
  );

  const getAssets = async () => {
    const { version, assets } = await loadOnce();
    const address = (name: string) => (assets.has(name) ? `assets/${version}/${name}` : undefined);
    return { address, scripts: (name: string) => withImports(name, assets).map((each) => address(each)!) };
  };
  app.decorate('assets', getAssets);
  return getAssets;
}

async function readAll(folders: readonly string[], files: readonly string[]) {
  const assets = new Map<string, Asset>();
  for (const folder of folders) {
    const names = await readdir(new URL(`dist/${folder}/`, PACKAGE), { recursive: true });
    for (const name of names.filter(isForBrowsers).sort()) {
      assets.set(join(folder, name), await load(new URL(`dist/${folder}/${name}`, PACKAGE)));
    }
  }
  for (const name of files) {
    const asset = await load(new URL(name, PACKAGE)).catch(() => undefined);
    if (asset) assets.set(name, asset);
  }
  const hash = createHash('sha256');
  for (const [name, { body }] of assets) hash.update(`${name}\0${body.length}\0`).update(body);
  return { version: hash.digest('hex').slice(0, 16), assets };
}

/** In the order of the imports. */
function withImports(script: string, assets: ReadonlyMap<string, Asset>): string[] {
  const found = new Set([script]);
  // The iteration includes what is added meanwhile.
  for (const name of found) {
    for (const path of assets.get(name)?.imports ?? []) found.add(join(dirname(name), path));
  }
  return [...found].filter((name) => assets.has(name));
}

/** Server code in the same folders is not served. */
const isForBrowsers = (name: string) => /\.(css|svg)$|(^|\/)browser\/[^/]+\.js$/.test(name);

async function load(file: URL): Promise<Asset> {
  const body = await readFile(file);
  const type = TYPES[extname(fileURLToPath(file))]!;
  if (type === 'image/jpeg' || type === 'audio/mpeg') return { type, body, imports: [] };
  const imports = body
    .toString()
    .split('\n')
    .flatMap((line) => IMPORT.exec(line)?.[1] ?? []);
  return { type, body, gzipped: await promisify(gzip)(body), imports };
}

/** The compiler writes each import on a line of its own. */
const IMPORT = /^(?:import|export) [^"]*"(\.[^"]+)";$/;
