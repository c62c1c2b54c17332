import { describe, expect, it } from 'vitest';
import { filesOf } from './dropped-files.ts';

const FILE = new File(['x'], 'x.jpg');

const fileEntry = (fullPath: string) =>
  ({ isDirectory: false, fullPath, file: (resolve) => resolve(FILE) }) as FileSystemFileEntry;

/** A folder whose reader returns the groups one after the other, then none. */
function folderEntry(groups: readonly (readonly FileSystemEntry[])[]) {
  let read = 0;
  const readEntries = (resolve: (some: FileSystemEntry[]) => void) => resolve([...(groups[read++] ?? [])]);
  const folder = { isDirectory: true, createReader: () => ({ readEntries }) } as unknown as FileSystemDirectoryEntry;
  return { folder, readGroups: () => read };
}

const files = (count: number, path: string) => Array.from({ length: count }, (_, i) => fileEntry(`${path}/${i}.jpg`));

describe('filesOf', () => {
  it('reports each group of a folder before it reads the next', async () => {
    const inner = folderEntry([files(3, '/north/inner')]);
    const { folder, readGroups } = folderEntry([files(100, '/north/a'), [inner.folder, ...files(5, '/north/b')], []]);
    const reported: [groups: number, files: number][] = [];
    const found = await filesOf([new File([], 'top.jpg'), folder], (some) =>
      reported.push([readGroups(), some.length]),
    );
    expect(reported).toEqual([
      [0, 1],
      [1, 100],
      [2, 5],
      [3, 0],
      [3, 3],
      [3, 0],
    ]);
    expect(found).toHaveLength(109);
    expect([found[0]!.name, found[1]!.name, found.at(-1)!.name]).toEqual([
      'top.jpg',
      'north/a/0.jpg',
      'north/inner/2.jpg',
    ]);
  });

  it('stops reading a folder at an error of onFound', async () => {
    const { folder, readGroups } = folderEntry(Array.from({ length: 10 }, (_, i) => files(100, `/north/${i}`)));
    let count = 0;
    const search = filesOf([folder], (some) => {
      count += some.length;
      if (count > 150) throw new Error('too many');
    });
    await expect(search).rejects.toThrow('too many');
    expect(readGroups()).toBe(2);
  });

  it('divides 200 000 entries that a reader returns at once', async () => {
    const { folder } = folderEntry([files(200_000, '/north')]);
    const sizes = new Set<number>();
    const found = await filesOf([folder], (some) => sizes.add(some.length));
    expect(found).toHaveLength(200_000);
    expect([...sizes].sort()).toEqual([0, 100]);
  });
});
