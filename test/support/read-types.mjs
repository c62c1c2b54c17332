// Preloaded with `--import`, lets threads run TypeScript sources on a Node without type stripping.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';

const HOOKS = '?hooks';
// The preloaded file registers itself a second time as the loader hook.
if (!import.meta.url.endsWith(HOOKS)) register(import.meta.url + HOOKS);

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const source = await readFile(fileURLToPath(url), 'utf8');
  return { format: 'module', source: await stripTypes(source), shortCircuit: true };
}

const CACHE = new URL('../../node_modules/.cache/assay/', import.meta.url);

/** Caches the result, because loading the compiler takes 0.2 s of CPU time per thread. */
async function stripTypes(source) {
  const cached = new URL(`${createHash('sha256').update(source).digest('hex')}.js`, CACHE);
  const known = await readFile(cached, 'utf8').catch(() => undefined);
  if (known !== undefined) return known;
  const { transformSync } = await import('rolldown/utils');
  const typescript = { onlyRemoveTypeImports: true };
  const { code, errors } = transformSync('module.ts', source, { target: 'es2023', typescript });
  if (errors.length > 0) throw new SyntaxError(errors[0].message);
  await mkdir(CACHE, { recursive: true });
  const draft = new URL(`${process.pid}-${Math.random()}.draft`, CACHE);
  await writeFile(draft, code);
  await rename(draft, cached);
  return code;
}
