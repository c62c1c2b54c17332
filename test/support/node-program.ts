import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Compiles src/base and postgres-parent.ts to JavaScript in a temporary folder, for processes that a test starts and kills. */
export async function compiledBase(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-program-'));
  await chmod(folder, 0o755);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const base = (await readdir(join(ROOT, 'src/base'), { recursive: true })).map((name) => `src/base/${name}`);
  for (const name of [...base, 'test/support/postgres-parent.ts']) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
    const { outputText } = ts.transpileModule(await readFile(join(ROOT, name), 'utf8'), {
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        rewriteRelativeImportExtensions: true,
        verbatimModuleSyntax: true,
      },
    });
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name.replace(/\.ts$/, '.js')), outputText);
  }
  return folder;
}

/** Runs a program and parses its first line of output as JSON. An early end rejects with its log. */
export async function startProgram<T>(
  program: string,
  argument: unknown,
  options: SpawnOptions = {},
): Promise<{ child: ChildProcess; output: T }> {
  const child = spawn(process.execPath, [program, JSON.stringify(argument)], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stderr?.on('data', (chunk) => {
    log += String(chunk);
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`The program ended without output:\n${log}`);
  });
  ended.catch(() => {});
  const line = once(createInterface({ input: child.stdout! }), 'line') as Promise<[string]>;
  const [text] = await Promise.race([line, ended]);
  return { child, output: JSON.parse(text) as T };
}

export async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const exit = once(child, 'exit') as Promise<[number | null]>;
  child.kill(signal);
  return (await exit)[0];
}
