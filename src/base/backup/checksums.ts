import { createHash, type Hash } from 'node:crypto';

/** Number of files per checksum list: about 1 MB in memory. */
const LINES = 10_000;
/** The last entry of an archive; the reader recomputes and compares its content. */
export const END_NAME = 'end.json';

/**
 * The checksum lists of an archive: after every `LINES` entries follows one with their SHA-256, in the format of
 * `sha256sum -c`, so that archives of any size take constant memory.
 */
export function createChecksums() {
  let lines: string[] = [];
  let lists = 0;
  let entries = 0;
  let bytes = 0;
  return {
    add(name: string, size: number, digest: Hash): void {
      lines.push(`${digest.digest('hex')}  ${name}\n`);
      entries++;
      bytes += size;
    },
    isFull: () => lines.length >= LINES,
    isEmpty: () => lines.length === 0,
    /** The list of the entries since the previous list. */
    list(): { name: string; content: Buffer } {
      const content = Buffer.from(lines.join(''), 'utf8');
      lines = [];
      lists++;
      return { name: `sums/${String(lists).padStart(6, '0')}.sha256`, content };
    },
    end: () => Buffer.from(`${JSON.stringify({ entries, bytes })}\n`, 'utf8'),
  };
}

export const sha256 = () => createHash('sha256');
