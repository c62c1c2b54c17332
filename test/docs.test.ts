import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingsDocument } from '../src/commands/config.ts';
import { ADMIN_KEY, fakeReading } from './helpers/passports.ts';
import { fakeModel, type Product, startProduct, TOKEN } from './helpers/product.ts';
import { fakeHearing } from './helpers/speech.ts';

const ROOT = new URL('../', import.meta.url);
const read = (path: string) => readFile(new URL(path, ROOT), 'utf8');

describe('the documentation', () => {
  let product: Product;
  let speech: Product;
  let passports: Product;
  beforeAll(async () => {
    product = await startProduct({ model: fakeModel() });
    speech = await startProduct({ service: 'stt', model: fakeHearing() });
    const env = { PASSPORTS_API_KEYS: `admin:${ADMIN_KEY}` };
    passports = await startProduct({ service: 'passports', env, model: fakeReading() });
  });
  afterAll(async () => {
    await product.stop();
    await speech.stop();
    await passports.stop();
  });

  const documents = async () => [
    'README.md',
    'ARCHITECTURE.md',
    ...(await readdir(new URL('docs/', ROOT))).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
  ];

  it('has shell examples that run as they stand, one document after another', async () => {
    let ran = 0;
    for (const document of await documents()) {
      const blocks = [...(await read(document)).matchAll(/```sh run\n([\s\S]*?)```/g)].map((match) => match[1]!);
      if (blocks.length === 0) continue;
      const folder = await mkdtemp(join(tmpdir(), 'assay-docs-'));
      // In a folder of its own where `examples/` is what it is in the project: what an example writes is thrown away.
      const script = `set -euo pipefail\nln -s "$ROOT/examples" examples\n${blocks.join('\n')}`;
      const env = {
        ...process.env,
        TOKEN,
        ASSAY: product.url,
        ASSAY_STT: speech.url,
        ASSAY_PASSPORTS: passports.url,
        API_KEY: ADMIN_KEY,
        ROOT: new URL('.', ROOT).pathname,
      };
      const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder, env, timeout: 60_000 });
      expect(stdout, document).not.toContain('"ok":false');
      await rm(folder, { recursive: true });
      ran += blocks.length;
    }
    expect(ran).toBeGreaterThan(0);
  });

  it('names only scripts, commands and files that exist', async () => {
    const { scripts } = JSON.parse(await read('package.json'));
    const main = await read('src/main.ts');
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
