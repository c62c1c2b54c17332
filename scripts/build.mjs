// Compiles and bundles src/ to dist/ if dist/ is missing or older. `npm start`, `npm run demo` and `npm test` call this, so that a clone
// also works after an installation with --ignore-scripts or --omit=dev.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const stamp = join(root, 'dist/.built');

/** The server, the browser code, and the client library with its types. */
const PROJECTS = ['tsconfig.build.json', 'tsconfig.browser.json', 'tsconfig.client.json'];

const SCRIPTS = ['build', 'bundle', 'client-types'].map((name) => `scripts/${name}.mjs`);

export function ensureBuilt() {
  const inputs = ['src', ...SCRIPTS, 'tsconfig.json', ...PROJECTS, 'package.json'];
  const newest = Math.max(...inputs.map((input) => newestIn(join(root, input))));
  if (existsSync(stamp) && statSync(stamp).mtimeMs >= newest) return;
  const draft = join(root, `dist.${process.pid}`);
  try {
    const [server, ...others] = PROJECTS;
    compile(server, draft);
    run([join(root, 'scripts/client-types.mjs'), draft], 'The types of the client could not be generated.');
    for (const project of others) compile(project, draft);
    copyStyles(join(root, 'src'), draft);
    run([join(root, 'scripts/bundle.mjs'), draft], 'The modules could not be bundled.');
    writeFileSync(join(draft, '.built'), '');
    // Replaced by renames, so that a process that starts meanwhile never sees a partial build.
    const old = `${draft}.old`;
    if (existsSync(join(root, 'dist'))) renameSync(join(root, 'dist'), old);
    // A concurrent first build may already have finished.
    if (!existsSync(join(root, 'dist'))) renameSync(draft, join(root, 'dist'));
    rmSync(old, { recursive: true, force: true });
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function compile(project, outDir) {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  run([tsc, '-p', join(root, project), '--outDir', outDir, '--noCheck'], 'The sources could not be compiled.');
}

function run(args, failure) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error(failure);
}

function copyStyles(from, to) {
  cpSync(from, to, { recursive: true, filter: (path) => statSync(path).isDirectory() || /\.(css|svg)$/.test(path) });
}

function newestIn(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newestIn(join(path, name))));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) ensureBuilt();
