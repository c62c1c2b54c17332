// Bundles the compiled modules into fewer files, because Node takes a millisecond to find, read and link each module
// (docs/decisions/0057-bundled-modules.md): `node scripts/bundle.mjs FOLDER`. Benchmarks and the client library use the unbundled modules.
import { readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { rolldown } from 'rolldown';

/** Packages of many ES modules. Bundling the CommonJS packages does not make a start faster. */
const PACKAGES = ['typebox', 'jose', 'csv-parse', 'csv-stringify'];

const FOLDER = 'bundle';

// Rolldown resolves symbolic links.
const dist = realpathSync(process.argv[2]);
const entries = new Set(['main.js', ...threadEntries()]);
const build = await rolldown({
  input: Object.fromEntries(Array.from(entries, (file) => [file, join(dist, file)])),
  platform: 'node',
  external: (id) =>
    !isAbsolute(id) && !/^[.#]/.test(id) && !PACKAGES.some((name) => id === name || id.startsWith(`${name}/`)),
  plugins: [resolveJsxRuntime(), keepModuleUrls()],
  onLog(level, log, handle) {
    if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
    handle(level, log);
  },
});
await build.write({
  dir: join(dist, FOLDER),
  entryFileNames: '[name]',
  // A module that is imported dynamically keeps its path, so that tests can replace it.
  chunkFileNames: ({ facadeModuleId: file, isDynamicEntry }) =>
    isDynamicEntry && file?.startsWith(dist) ? pathInDist(file) : 'shared/[name]-[hash].js',
  sourcemap: true,
});
await build.close();
// The entries only load their bundle.
for (const file of entries) {
  const toDist = '../'.repeat(file.split('/').length - 1);
  writeFileSync(join(dist, file), `import '${toDist || './'}${FOLDER}/${file}';\n`);
  rmSync(join(dist, `${file}.map`));
}

/** The modules that `startThread` and `workerEntry` start. */
function threadEntries() {
  const definitions = ['base/worker-entry.js', 'base/thread-pool.js'].map((file) => join(dist, file));
  const files = readdirSync(dist, { recursive: true }).map((file) => join(dist, file));
  return files.flatMap((file) => {
    if (!file.endsWith('.js') || definitions.includes(file)) return [];
    const code = readFileSync(file, 'utf8');
    const calls = code.matchAll(/\b(?:startThread|workerEntry)\((?:'(\.{1,2}\/[\w/-]+)', import\.meta\.url\b)?/g);
    return Array.from(calls, ([, name]) => {
      if (name) return pathInDist(join(dirname(file), `${name}.js`));
      throw new Error(
        `${file}: the arguments of startThread and workerEntry begin with './x-thread', import.meta.url.`,
      );
    });
  });
}

/** With slashes, also on Windows. */
function pathInDist(file) {
  return relative(dist, file).replaceAll(sep, '/');
}

/** package.json resolves this import to the previous build. */
function resolveJsxRuntime() {
  return {
    name: 'resolve-jsx-runtime',
    resolveId: (id) => (id === '#html/jsx-runtime' ? join(dist, 'ui/html/jsx-runtime.js') : null),
  };
}

/** `import.meta.url` remains the URL of the module, because files and threads are found relative to it. */
function keepModuleUrls() {
  const root = '@@dist@@';
  return {
    name: 'keep-module-urls',
    load(file) {
      if (!(file.startsWith(dist) && file.endsWith('.js'))) return null;
      const url = `new URL('${root}/${pathInDist(file)}', import.meta.url).href`;
      return {
        code: readFileSync(file, 'utf8').replaceAll('import.meta.url', url),
        map: JSON.parse(readFileSync(`${file}.map`, 'utf8')),
      };
    },
    renderChunk: (code, { fileName }) => ({
      code: code.replaceAll(root, '../'.repeat(fileName.split('/').length).slice(0, -1)),
      map: null,
    }),
  };
}
