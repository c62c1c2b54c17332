import { expect, it } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { listArchiveFiles, readArchiveFile } from '../../src/services/shared/batches/archive-files.ts';
import { createInvalidItems } from '../../src/services/shared/batches/invalid-items.ts';
import { zipFile } from '../../src/ui/browser/zip-file.ts';

it('An archive made in the browser is read with the same names and bytes', async () => {
  const texts = { 'мост/опора 1.jpg': 'first', 'b.jpg': 'x'.repeat(200_000) };
  const shares: number[] = [];
  const files = Object.entries(texts).map(([name, text]) => ({ name, file: new File([text], name) }));
  const bytes = Buffer.from(await (await zipFile(files, (share) => shares.push(share)))!.arrayBuffer());
  const archive = await fromBufferPromise(bytes, { lazyEntries: true, decodeStrings: false });
  const read: Record<string, string> = {};
  for (const file of await listArchiveFiles(archive, {
    maxFiles: 10,
    invalid: createInvalidItems(false),
    maxFileBytes: 1e6,
  })) {
    const chunks: Buffer[] = [];
    for await (const chunk of readArchiveFile(archive, file)) chunks.push(chunk);
    read[file.name] = Buffer.concat(chunks).toString();
  }
  expect(read).toEqual(texts);
  expect(shares).toEqual([0.5, 1]);
});
