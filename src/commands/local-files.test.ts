import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readVocabularyFile } from './local-files.ts';

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
