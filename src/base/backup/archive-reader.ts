import { createChecksums, END_NAME, sha256 } from './checksums.ts';
import { BLOCK_BYTES, CorruptArchive, padding, readTarHeader } from './tar.ts';

export interface Entry {
  readonly name: string;
  readonly size: number;
  /** Valid until the next entry is requested. */
  readonly content: AsyncIterable<Buffer>;
}

/**
 * The entries of an archive, in order. Checks every byte and throws {@link CorruptArchive} for any change, truncation or
 * extra data. Digests follow their entries, so the content is verified only at the end.
 */
export async function* readArchive(source: AsyncIterable<Buffer>): AsyncGenerator<Entry, void> {
  const input = chunkReader(source);
  const sums = createChecksums();
  for (;;) {
    const { name, size } = readTarHeader(await input.exactly(BLOCK_BYTES)) ?? fail('the end is missing');
    if (name === END_NAME || (sums.isFull() && !name.startsWith('sums/'))) {
      if (name !== END_NAME || !sums.isEmpty()) fail('digests are missing');
      await expectContent(input, sums.end(), size, 'it is incomplete');
      for (let i = 0; i < 2; i++) if (readTarHeader(await input.exactly(BLOCK_BYTES))) fail('the end is repeated');
      if (!(await input.isOver())) fail('data follows its end');
      return;
    }
    if (name.startsWith('sums/')) {
      const list = sums.list();
      if (list.name !== name) fail('digests are missing');
      await expectContent(input, list.content, size, 'a checksum does not match');
      continue;
    }
    const digest = sha256();
    let left = size;
    const rest = async function* () {
      while (left > 0) {
        const piece = await input.some(left);
        left -= piece.length;
        digest.update(piece);
        yield piece;
      }
    };
    yield { name, size, content: { [Symbol.asyncIterator]: rest } };
    for await (const _ of rest());
    await expectPadding(input, size);
    sums.add(name, size, digest);
  }
}

async function expectContent(input: ChunkReader, content: Buffer, size: number, failure: string): Promise<void> {
  if (size !== content.length || !(await input.exactly(size)).equals(content)) fail(failure);
  await expectPadding(input, size);
}

async function expectPadding(input: ChunkReader, size: number): Promise<void> {
  const zeros = padding(size);
  if (!(await input.exactly(zeros.length)).equals(zeros)) fail('the padding of an entry was changed');
}

function fail(reason: string): never {
  throw new CorruptArchive(reason);
}

type ChunkReader = ReturnType<typeof chunkReader>;

function chunkReader(source: AsyncIterable<Buffer>) {
  const iterator = source[Symbol.asyncIterator]();
  let buffered: Buffer = Buffer.alloc(0);
  const isOver = async () => {
    while (buffered.length === 0) {
      const { done, value } = await iterator.next();
      if (done) return true;
      buffered = value;
    }
    return false;
  };
  /** At least one byte. */
  const some = async (max: number) => {
    if (await isOver()) fail('it is truncated');
    const piece = buffered.subarray(0, max);
    buffered = buffered.subarray(piece.length);
    return piece;
  };
  return {
    isOver,
    some,
    async exactly(bytes: number): Promise<Buffer> {
      const parts: Buffer[] = [];
      for (let left = bytes; left > 0; left -= parts.at(-1)!.length) parts.push(await some(left));
      return Buffer.concat(parts);
    },
  };
}
