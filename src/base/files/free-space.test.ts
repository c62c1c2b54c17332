import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { withFreeSpace } from './free-space.ts';
import { StorageUnavailable } from './storage-unavailable.ts';

async function* body() {
  yield Buffer.from('a');
  yield Buffer.from('b');
}
const read = async (dir: string) => {
  const chunks: string[] = [];
  for await (const chunk of withFreeSpace(body(), dir)) chunks.push(String(chunk));
  return chunks.join('');
};

describe('withFreeSpace', () => {
  it('returns the chunks while the disk has room', async () => {
    expect(await read(tmpdir())).toBe('ab');
  });

  it.runIf(process.platform === 'linux')('throws on a full disk', async () => {
    // A file system without blocks.
    await expect(read('/proc')).rejects.toThrow(StorageUnavailable);
  });
});
