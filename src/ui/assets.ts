import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { notFound } from '../base/faults.ts';

/** The package, whether this file runs from `src/` or from `dist/`. */
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
  /** Absent where compressing gains nothing. */
  readonly gzipped?: Buffer;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Of this listener; there once its pages are. */
    assets?: () => Promise<Assets>;
  }
}

/** What pages are made of besides their HTML, as it lies on this listener. */
export interface Assets {
  /** Where a browser finds `name`, relative to the page at `/`; undefined where there is no such file. */
  address(name: string): string | undefined;
  /** The addresses of every script, so that a page can ask for all of them at once. */
  scripts(): string[];
}

/**
 * Serves what was compiled for the browser from these folders of `dist/`, and the package's own `files`. The version
 * in an address is a hash of everything together: scripts import each other by relative paths, so all of them must
 * come from one build, and a browser may keep them for ever.
 */
export function assetRoutes(
  app: FastifyInstance,
  { folders, files }: { folders: readonly string[]; files: readonly string[] },
): () => Promise<Assets> {
  // Read when first wanted: a gateway whose pages nobody opens needs no build.
  let opened: ReturnType<typeof readAll> | undefined;
  const open = () => {
    opened ??= readAll(folders, files);
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  };

  app.get<{ Params: { version: string; '*': string } }>(
    '/assets/:version/*',
    { config: { access: 'public' }, schema: { hide: true } },
    async (request, reply) => {
      const { version, assets } = await open();
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

  const found = async () => {
    const { version, assets } = await open();
    const address = (name: string) => (assets.has(name) ? `assets/${version}/${name}` : undefined);
    const scripts = [...assets.keys()].filter((name) => name.endsWith('.js'));
    return { address, scripts: () => scripts.map((name) => `assets/${version}/${name}`) };
  };
  app.decorate('assets', found);
  return found;
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
    // A package may come without its examples; a page asks for the address and does without.
    const asset = await load(new URL(name, PACKAGE)).catch(() => undefined);
    if (asset) assets.set(name, asset);
  }
  const hash = createHash('sha256');
  for (const [name, { body }] of assets) hash.update(`${name}\0${body.length}\0`).update(body);
  return { version: hash.digest('hex').slice(0, 16), assets };
}

/** Beside the scripts for browsers lies what runs here, which is nobody's business. */
const isForBrowsers = (name: string) => /\.(css|svg)$|(^|\/)browser\/[^/]+\.js$/.test(name);

async function load(file: URL): Promise<Asset> {
  const body = await readFile(file);
  const type = TYPES[extname(fileURLToPath(file))]!;
  const packed = type === 'image/jpeg' || type === 'audio/mpeg';
  return packed ? { type, body } : { type, body, gzipped: await promisify(gzip)(body) };
}
