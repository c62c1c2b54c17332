import { createSums, END_NAME, sha256 } from './sums.ts';
import { BLOCK_BYTES, Damaged, padding, readTarHeader } from './tar.ts';

export interface Entry {
  readonly name: string;
  readonly size: number;
  /** To be read before the next entry is asked for, or left. */
  readonly content: AsyncIterable<Buffer>;
}

/**
 * The entries of an archive, in order. Every byte of it is checked: a bit that was
 * changed, wherever it is, an entry that is missing or too many, or an end that does not come is {@link Damaged}. The
 * digest of an entry comes after it, so nothing is proven before all has been read.
 */
export async function* readArchive(source: AsyncIterable<Buffer>): AsyncGenerator<Entry, void> {
  const input = pieces(source);
  const sums = createSums();
  for (;;) {
    const { name, size } = readTarHeader(await input.exactly(BLOCK_BYTES)) ?? broken('its end is missing');
    if (name === END_NAME || (sums.isFull() && !name.startsWith('sums/'))) {
      if (name !== END_NAME || !sums.isEmpty()) broken('digests are missing');
      await expected(input, sums.end(), size, 'it is not complete');
      for (let i = 0; i < 2; i++) if (readTarHeader(await input.exactly(BLOCK_BYTES))) broken('it has two ends');
      if (!(await input.isOver())) broken('something follows its end');
      return;
    }
    if (name.startsWith('sums/')) {
      const list = sums.list();
      if (list.name !== name) broken('digests are missing');
      await expected(input, list.content, size, 'what is in it does not have the digest that it had');
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
    await zeros(input, size);
    sums.add(name, size, digest);
  }
}

async function expected(input: Pieces, content: Buffer, size: number, otherwise: string): Promise<void> {
  if (size !== content.length || !(await input.exactly(size)).equals(content)) broken(otherwise);
  await zeros(input, size);
}

async function zeros(input: Pieces, size: number): Promise<void> {
  const between = padding(size);
  if (!(await input.exactly(between.length)).equals(between)) broken('the space between two entries was changed');
}

function broken(how: string): never {
  throw new Damaged(how);
}

interface Pieces {
  exactly(bytes: number): Promise<Buffer>;
  /** What is there, at least one byte and at most so many. */
  some(most: number): Promise<Buffer>;
  isOver(): Promise<boolean>;
}

function pieces(source: AsyncIterable<Buffer>): Pieces {
  const iterator = source[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  const isOver = async () => {
    while (held.length === 0) {
      const { done, value } = await iterator.next();
      if (done) return true;
      held = value;
    }
    return false;
  };
  const some = async (most: number) => {
    if (await isOver()) broken('it breaks off');
    const piece = held.subarray(0, most);
    held = held.subarray(piece.length);
    return piece;
  };
  return {
    isOver,
    some,
    async exactly(bytes) {
      const parts: Buffer[] = [];
      for (let left = bytes; left > 0; left -= parts.at(-1)!.length) parts.push(await some(left));
      return Buffer.concat(parts);
    },
  };
}
