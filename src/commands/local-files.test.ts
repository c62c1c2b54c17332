import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findItems } from './folder/find-items.ts';
import { openInputFile, readVocabularyFile } from './local-files.ts';

const isRoot = process.getuid?.() === 0;
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'input-files-'));
  await chmod(dir, 0o755);
});
afterAll(() => rm(dir, { recursive: true }));

/** As an ordinary user, whom the mode of a file concerns. */
async function asUser<T>(run: () => Promise<T>): Promise<T> {
  if (isRoot) process.seteuid!(65_534);
  try {
    return await run();
  } finally {
    if (isRoot) process.seteuid!(0);
  }
}

describe.runIf(process.getuid)('Input files that the user may not read', () => {
  it('are named with the reason', async () => {
    const path = join(dir, 'photo.jpg');
    await writeFile(path, 'photo');
    expect((await openInputFile(path)).data.size).toBe(5);
    await chmod(path, 0o000);
    await expect(asUser(() => openInputFile(path))).rejects.toThrow(`${path} cannot be read: permission denied.`);
    await expect(openInputFile(join(dir, 'none'))).rejects.toThrow(`The file ${join(dir, 'none')} does not exist.`);
  });

  it('in a folder: a closed subfolder is named', async () => {
    const closed = join(dir, 'folder', 'closed');
    await mkdir(closed, { recursive: true });
    await writeFile(join(dir, 'folder', 'a.jpg'), 'a');
    await chmod(closed, 0o000);
    await expect(asUser(() => findItems(join(dir, 'folder'), 'photos', join(dir, 'out')))).rejects.toThrow(
      `${closed} cannot be read: permission denied.`,
    );
  });
});

describe('readVocabularyFile', () => {
  async function fileOf(text: string) {
    const folder = await mkdtemp(join(tmpdir(), 'assay-terms-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'terms.txt');
    await writeFile(path, text);
    return path;
  }

  it('reads a term per line with its spoken forms', async () => {
    expect(await readVocabularyFile(await fileOf('shotcrete\r\n\r\nnginx = engine x\r\n'))).toEqual([
      { term: 'shotcrete', spoken: [] },
      { term: 'nginx', spoken: ['engine x'] },
    ]);
  });

  it.each([
    ['***', 'a term needs a letter or a figure.'],
    ['x'.repeat(101), 'longer than 100 characters (101).'],
    [`nginx = engine x, ${'x'.repeat(101)}`, 'longer than 100 characters (101).'],
    ['a = b, c, d, e, f, g', 'at most 5 spoken forms.'],
  ])('names the line of the invalid term %s', async (line, reason) => {
    const path = await fileOf(`shotcrete\n\n${line}\n`);
    await expect(readVocabularyFile(path)).rejects.toThrow(`${path}, line 3: ${reason}`);
  });
});
