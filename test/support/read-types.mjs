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

/** Caches the result, because loading the compiler takes longer than most tests. */
async function stripTypes(source) {
  const cached = new URL(`${createHash('sha256').update(source).digest('hex')}.js`, CACHE);
  const known = await readFile(cached, 'utf8').catch(() => undefined);
  if (known !== undefined) return known;
  const { default: ts } = await import('typescript');
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
  });
  await mkdir(CACHE, { recursive: true });
  const draft = new URL(`${process.pid}-${Math.random()}.draft`, CACHE);
  await writeFile(draft, outputText);
  await rename(draft, cached);
  return outputText;
}
