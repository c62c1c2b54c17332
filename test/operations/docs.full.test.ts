import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { insertToken } from '../../src/http/access-tokens.ts';
import { type Catalog, MODERATOR, READER, startCatalog } from '../support/catalog.ts';
import { ADMIN_KEY, createFakeExtractionModel } from '../support/passports.ts';
import { createFakeModel, type Product, startProduct, TOKEN } from '../support/product.ts';
import { requireTool } from '../support/require.ts';
import { createFakeSpeechModel } from '../support/speech/fake-model.ts';

const SANDBOX_TOKEN = 'assay_sandbox_defectoscopy';
const ROOT = new URL('../../', import.meta.url);
const run = promisify(execFile);
const read = (path: string) => readFile(new URL(path, ROOT), 'utf8');

const DOCUMENTS = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...(await readdir(new URL('docs/', ROOT))).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
];

/** The code blocks of a document, unindented, with the info string of the fence. */
const blocksOf = (text: string) =>
  [...text.matchAll(/^( *)```(.*)\n([\s\S]*?)^ *```$/gm)].map(([, indent = '', kind = '', code = '']) => ({
    kind,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));

const programOf = async (document: string, kind: string) =>
  blocksOf(await read(document))
    .filter((block) => block.kind === kind)
    .map(({ code }) => code)
    .join('\n');

const documentsWith = async (kind: string) => {
  const found: string[] = [];
  for (const document of DOCUMENTS) if ((await programOf(document, kind)) !== '') found.push(document);
  return found;
};
const [SHELL, TYPESCRIPT, PYTHON] = [
  await documentsWith('sh run'),
  await documentsWith('ts run'),
  await documentsWith('py run'),
];

/** Generous because these blocks start and stop processes. */
const SLOW = { timeout: 120_000 };

describe('The documentation', () => {
  let product: Product;
  let speech: Product;
  let passports: Product;
  let catalog: Catalog;
  beforeAll(async () => {
    product = await startProduct({ env: { DEFECTOSCOPY_REVIEWER_TOKENS: TOKEN }, model: createFakeModel() });
    speech = await startProduct({ service: 'stt', model: createFakeSpeechModel() });
    const env = { PASSPORTS_API_KEYS: `admin:${ADMIN_KEY}` };
    passports = await startProduct({ service: 'passports', env, model: createFakeExtractionModel() });
    catalog = await startCatalog();
    const digest = hash('sha256', SANDBOX_TOKEN, 'hex');
    const sandbox = { service: 'defectoscopy', name: 'docs', role: 'sandbox', digest };
    await insertToken(product.database.db, sandbox);
    await vi.waitFor(() => expect(product.gateway.issued.of('defectoscopy').tokens).toHaveLength(1));
  });
  afterAll(async () => {
    await product.stop();
    await speech.stop();
    await passports.stop();
    await catalog.stop();
  });

  const emptyFolder = async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'assay-docs-')));
    for (const name of ['examples', 'scripts']) await symlink(fileURLToPath(new URL(name, ROOT)), join(folder, name));
    await mkdir(join(folder, 'node_modules'));
    return folder;
  };

  const env = () => ({
    ...process.env,
    TOKEN,
    SANDBOX_TOKEN,
    DEFECTOSCOPY_TOKEN: TOKEN,
    STT_TOKEN: TOKEN,
    ASSAY: product.url,
    ASSAY_STT: speech.url,
    ASSAY_PASSPORTS: passports.url,
    API_KEY: ADMIN_KEY,
    ASSAY_CATALOG: catalog.url,
    READER_TOKEN: READER,
    MODERATOR_TOKEN: MODERATOR,
    // Read by `assay` for local services and for the database.
    DEFECTOSCOPY_PORT: new URL(product.url).port,
    DEFECTOSCOPY_API_TOKENS: TOKEN,
    STT_PORT: new URL(speech.url).port,
    STT_API_TOKENS: TOKEN,
    PASSPORTS_PORT: new URL(passports.url).port,
    ASSAY_API_KEY: ADMIN_KEY,
    DATABASE_URL: catalog.database.url,
    DATA_DIR: catalog.dataDir,
  });

  it.for(SHELL)('has shell examples in %s that run as written', SLOW, async (document) => {
    const folder = await emptyFolder();
    const script = `set -euo pipefail\n${await programOf(document, 'sh run')}`;
    const { stdout } = await run('bash', ['-c', script], { cwd: folder, env: env() });
    expect(stdout).not.toMatch(/"ok":false|"error":\{/);
    await rm(folder, { recursive: true });
  });

  it.for(TYPESCRIPT)(
    'has TypeScript examples in %s that compile in strict mode and run as written',
    SLOW,
    async (document) => {
      const folder = await emptyFolder();
      for (const name of ['assay', 'openai', '@types', 'undici-types']) {
        const target = new URL(name === 'assay' ? '.' : `node_modules/${name}`, ROOT);
        await symlink(fileURLToPath(target), join(folder, 'node_modules', name));
      }
      const program = join(folder, 'program.mts');
      await writeFile(program, await programOf(document, 'ts run'));
      expect(compile(program)).toEqual([]);
      const { stderr } = await run(process.execPath, ['program.mjs'], { cwd: folder, env: env() });
      expect(stderr).toBe('');
      await rm(folder, { recursive: true });
    },
  );

  it.for(PYTHON)('has Python examples in %s that run as written', async (document, context) => {
    await run(requireTool('python3', context), ['-c', await programOf(document, 'py run')]);
  });

  it('runs all of its code except output and operator commands', async () => {
    const kinds = new Map<string, number>();
    for (const document of DOCUMENTS) {
      for (const { kind, code } of blocksOf(await read(document))) {
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
        expect(['sh run', 'ts run', 'py run', 'sh', 'json', 'mermaid', ''], document).toContain(kind);
        if (kind !== 'sh') continue;
        for (const line of code.split('\n').filter(Boolean)) {
          expect(line, document).toMatch(
            /^([A-Z_]+=\S* )*(node scripts\/assay\.mjs|npm (ci|test|install|start|run [a-z:]+)|node bench\/)/,
          );
        }
      }
    }
    for (const kind of ['sh run', 'ts run', 'py run']) expect(kinds.get(kind), kind).toBeGreaterThan(1);
  });

  it('uses only options that each command has', SLOW, async () => {
    const options = new Map<string, string>();
    const help = async (command: string) => {
      const text =
        options.get(command) ??
        (
          await run(process.execPath, [
            fileURLToPath(new URL('scripts/assay.mjs', ROOT)),
            ...command.split(' '),
            '--help',
          ])
        ).stdout;
      options.set(command, text);
      return text;
    };
    let seen = 0;
    for (const document of DOCUMENTS) {
      for (const { code } of blocksOf(await read(document)).filter(({ kind }) => kind.startsWith('sh'))) {
        for (const [, command = '', rest = ''] of code.matchAll(
          /node scripts\/assay\.mjs ((?:(?:audit|deliveries|models|tokens) )?[a-z]+)([^#|\n]*)/g,
        )) {
          for (const [option] of rest.matchAll(/(?<=\s)--[a-z-]+/g)) {
            expect(await help(command), `${document}: node scripts/assay.mjs ${command} ${option}`).toContain(option);
            seen++;
          }
        }
      }
    }
    expect(seen).toBeGreaterThan(3);
  });

  it('refers only to scripts, commands and files that exist', async () => {
    const { scripts } = JSON.parse(await read('package.json'));
    const main = `${await read('src/main.ts')}${await read('src/commands/client-commands.ts')}`;
    for (const document of DOCUMENTS) {
      const text = await read(document);
      for (const [, name] of text.matchAll(/npm run ([a-z:-]+)/g)) expect(scripts, document).toHaveProperty([name!]);
      for (const [, name] of text.matchAll(/node scripts\/assay\.mjs ([a-z]+)/g)) {
        expect(main, `${document}: node scripts/assay.mjs ${name}`).toContain(`.command('${name}'`);
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

  it('and the product name no command that npm would install from a public registry', async () => {
    // The package `assay` of the public registry is a different project.
    const installs = /\bnpx (?:-\S+ )*(?:assay|tsc)\b|\bnpm (?:exec|x) (?!--no -- )/;
    const sources = (await readdir(new URL('src/', ROOT), { recursive: true })).filter((name) => /\.tsx?$/.test(name));
    const rest = ['CHANGELOG.md', 'package.json', 'deploy/compose.yaml', 'deploy/Dockerfile', 'scripts/assay.mjs'];
    for (const name of [...DOCUMENTS, ...sources.map((name) => `src/${name}`), ...rest]) {
      expect(installs.exec(await read(name))?.[0], name).toBeUndefined();
    }
  });
});

/** The diagnostics of a strict compilation; writes the output beside the program. */
function compile(program: string): string[] {
  const compilation = ts.createProgram([program], {
    strict: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
  });
  const source = compilation.getSourceFile(program)!;
  const { diagnostics } = compilation.emit(source);
  return [...compilation.getOptionsDiagnostics(), ...compilation.getSemanticDiagnostics(source), ...diagnostics].map(
    ({ messageText, start = 0 }) => `${ts.flattenDiagnosticMessageText(messageText, ' ')} at ${start}`,
  );
}
