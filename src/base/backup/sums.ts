import { createHash, type Hash } from 'node:crypto';

/** So many files share one list of digests: what is kept in memory meanwhile is about a megabyte. */
const LINES = 10_000;
/** Closes an archive; what it says is worked out again by whoever reads. */
export const END_NAME = 'end.json';

/**
 * The digests of what lies in an archive. After every so many entries comes one with their SHA-256, as `sha256sum -c`
 * reads it; so neither who writes nor who reads an archive of a million files has to keep a million lines.
 */
export function createSums() {
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
    /** Whether the next entry has to be a list. */
    isFull: () => lines.length >= LINES,
    isEmpty: () => lines.length === 0,
    /** The list of what came since the last one. */
    list(): { name: string; content: Buffer } {
      const content = Buffer.from(lines.join(''), 'utf8');
      lines = [];
      lists++;
      return { name: `sums/${String(lists).padStart(6, '0')}.sha256`, content };
    },
    /** What the last entry says. */
    end: () => Buffer.from(`${JSON.stringify({ entries, bytes })}\n`, 'utf8'),
    total: (): Totals => ({ entries, bytes }),
  };
}

export interface Totals {
  readonly entries: number;
  /** Of the entries' content. */
  readonly bytes: number;
}

export const sha256 = () => createHash('sha256');
