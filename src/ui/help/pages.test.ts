import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readHelp } from './pages.ts';

async function folder(documents: Record<string, string>): Promise<URL> {
  const path = await mkdtemp(join(tmpdir(), 'assay-help-'));
  onTestFinished(() => rm(path, { recursive: true }));
  for (const [name, text] of Object.entries(documents)) await writeFile(join(path, name), text);
  return pathToFileURL(`${path}/`);
}

describe('readHelp', () => {
  it('returns an empty list if the folder does not exist', async () => {
    expect(await readHelp(new URL('nothing-here/', import.meta.url))).toEqual([]);
  });

  it('orders the pages by the links in the index page, followed by the others', async () => {
    const documents = {
      'index.md': '# I\n\n[c](c.md#x) [b](b.md) [c](c.md)',
      'a.md': '# A',
      'b.md': '# B',
      'c.md': '# C',
    };
    const pages = await readHelp(await folder({ ...documents, 'Not A Page.md': '', 'x.txt': '' }));
    expect(pages.map(({ name, title }) => [name, title])).toEqual([
      ['index', 'I'],
      ['c', 'C'],
      ['b', 'B'],
      ['a', 'A'],
    ]);
  });

  it('links pages with relative URLs', async () => {
    const pages = await readHelp(await folder({ 'index.md': '[a](a.md#x)', 'a.md': '[i](index.md) [n](none.md)' }));
    const [index, a] = pages.map(({ html }) => html);
    expect(index).toBe('<p><a href="help/a#x">a</a></p>\n');
    expect(a).toBe('<p><a href="../help">i</a> n</p>\n');
  });
});
