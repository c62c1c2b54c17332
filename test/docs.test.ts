import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingsDocument } from '../src/commands/config.ts';
import { type Catalog, MODERATOR, READER, startCatalog } from './helpers/catalog.ts';
import { ADMIN_KEY, fakeReading } from './helpers/passports.ts';
import { fakeModel, type Product, startProduct, TOKEN } from './helpers/product.ts';
import { fakeHearing } from './helpers/speech.ts';

const ROOT = new URL('../', import.meta.url);
const run = promisify(execFile);
const read = (path: string) => readFile(new URL(path, ROOT), 'utf8');

describe('the documentation', () => {
  let product: Product;
  let speech: Product;
  let passports: Product;
  let catalog: Catalog;
  beforeAll(async () => {
    product = await startProduct({ model: fakeModel() });
    speech = await startProduct({ service: 'stt', model: fakeHearing() });
    const env = { PASSPORTS_API_KEYS: `admin:${ADMIN_KEY}` };
    passports = await startProduct({ service: 'passports', env, model: fakeReading() });
    catalog = await startCatalog();
  });
  afterAll(async () => {
    await product.stop();
    await speech.stop();
    await passports.stop();
    await catalog.stop();
  });

  const documents = async () => [
    'README.md',
    'ARCHITECTURE.md',
    ...(await readdir(new URL('docs/', ROOT))).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
  ];

  /** A folder of its own where `examples/` is what it is in the project: what an example writes is thrown away. */
  const emptyFolder = async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'assay-docs-')));
    await symlink(fileURLToPath(new URL('examples', ROOT)), join(folder, 'examples'));
    return folder;
  };

  const env = () => ({
    ...process.env,
    TOKEN,
    ASSAY: product.url,
    ASSAY_STT: speech.url,
    ASSAY_PASSPORTS: passports.url,
    API_KEY: ADMIN_KEY,
    ASSAY_CATALOG: catalog.url,
    READER_TOKEN: READER,
    MODERATOR_TOKEN: MODERATOR,
    ROOT: fileURLToPath(ROOT),
  });

  it('has shell examples that run as they stand, one document after another', async () => {
    let ran = 0;
    for (const document of await documents()) {
      const blocks = [...(await read(document)).matchAll(/```sh run\n([\s\S]*?)```/g)].map((match) => match[1]!);
      if (blocks.length === 0) continue;
      const folder = await emptyFolder();
      const script = `set -euo pipefail\n${blocks.join('\n')}`;
      const { stdout } = await run('bash', ['-c', script], { cwd: folder, env: env(), timeout: 60_000 });
      expect(stdout, document).not.toContain('"ok":false');
      await rm(folder, { recursive: true });
      ran += blocks.length;
    }
    expect(ran).toBeGreaterThan(0);
  });

  it('has TypeScript examples that compile strictly and run as they stand, those of a document as one program', async () => {
    let ran = 0;
    for (const document of await documents()) {
      const blocks = [...(await read(document)).matchAll(/```ts run\n([\s\S]*?)```/g)].map((match) => match[1]!);
      if (blocks.length === 0) continue;
      const folder = await emptyFolder();
      await mkdir(join(folder, 'node_modules'));
      for (const name of ['assay', '@types', 'undici-types']) {
        const target = new URL(name === 'assay' ? '.' : `node_modules/${name}`, ROOT);
        await symlink(fileURLToPath(target), join(folder, 'node_modules', name));
      }
      const program = join(folder, 'program.mts');
      await writeFile(program, blocks.join('\n'));
      expect(compiled(program), document).toEqual([]);
      const { stderr } = await run(process.execPath, ['program.mjs'], { cwd: folder, env: env(), timeout: 60_000 });
      expect(stderr, document).toBe('');
      await rm(folder, { recursive: true });
      ran += blocks.length;
    }
    expect(ran).toBeGreaterThan(0);
  });

  it('names only scripts, commands and files that exist', async () => {
    const { scripts } = JSON.parse(await read('package.json'));
    const main = `${await read('src/main.ts')}${await read('src/commands/client-commands.ts')}`;
    for (const document of await documents()) {
      const text = await read(document);
      for (const [, name] of text.matchAll(/npm run ([a-z:-]+)/g)) expect(scripts, document).toHaveProperty([name!]);
      for (const [, name] of text.matchAll(/npx assay ([a-z]+)/g)) {
        expect(main, `${document}: npx assay ${name}`).toContain(`.command('${name}'`);
      }
      for (const [, target] of text.matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)) {
        await expect(
          readdir(new URL(target!, new URL(document, ROOT))).catch(() =>
            readFile(new URL(target!, new URL(document, ROOT))),
          ),
          `${document} → ${target}`,
        ).resolves.toBeDefined();
      }
    }
  });

  it('of the settings is the one that the settings make', async () => {
    expect(await read('docs/configure.md')).toBe(`${settingsDocument()}\n`);
  });
});

/** Compiles a program as a strict project would, beside it; answers what is wrong with it. */
function compiled(program: string): string[] {
  const made = ts.createProgram([program], {
    strict: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
  });
  const source = made.getSourceFile(program)!;
  const { diagnostics } = made.emit(source);
  return [...made.getOptionsDiagnostics(), ...made.getSemanticDiagnostics(source), ...diagnostics].map(
    ({ messageText, start = 0 }) => `${ts.flattenDiagnosticMessageText(messageText, ' ')} at ${start}`,
  );
}
