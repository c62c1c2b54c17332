// Lets a thread that was started from sources run TypeScript on a Node that cannot read types by itself: preloaded
// (`--import`), it has every `.ts` file stripped of its types as it is loaded.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';

const HOOKS = '?hooks';
// The same file twice: preloaded it registers itself, and as what was registered it does the work.
if (!import.meta.url.endsWith(HOOKS)) register(import.meta.url + HOOKS);

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const source = await readFile(fileURLToPath(url), 'utf8');
  return { format: 'module', source: await strippedOnce(source), shortCircuit: true };
}

const CACHE = new URL('../../../node_modules/.cache/assay/', import.meta.url);

/** Loading the compiler takes longer than most of what is tested: what was stripped once is kept. */
async function strippedOnce(source) {
  const kept = new URL(`${createHash('sha256').update(source).digest('hex')}.js`, CACHE);
  const known = await readFile(kept, 'utf8').catch(() => undefined);
  if (known !== undefined) return known;
  const { default: ts } = await import('typescript');
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
  });
  await mkdir(CACHE, { recursive: true });
  const draft = new URL(`${process.pid}-${Math.random()}.draft`, CACHE);
  await writeFile(draft, outputText);
  await rename(draft, kept);
  return outputText;
}
