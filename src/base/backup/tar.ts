/** What does not belong into an archive of ours, or was changed after it had been written. */
export class Damaged extends Error {
  override readonly name = 'Damaged';
}

export const BLOCK_BYTES = 512;
/** Two blocks of zeros end a tar. */
export const END = Buffer.alloc(2 * BLOCK_BYTES);
/** Eleven octal digits. */
const LARGEST_BYTES = 8 ** 11 - 1;
/** And a zero. */
const NAME_BYTES = 99;

/**
 * The header of a file in a tar (POSIX.1-1988, "ustar"), which every `tar` reads. All that could differ between two
 * backups of the same data (times, owners) is left at zero, so a header is a function of name and size.
 */
export function tarHeader(name: string, size: number): Buffer {
  if (!isSafe(name)) throw new Error(`Nobody could read ${name} back: it is too long, or no name for everywhere.`);
  if (size > LARGEST_BYTES) throw new Error(`${name} is larger than 8 GiB.`);
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(name, 0, 'utf8');
  header.write('0000600\0', 100); // readable by its owner alone, also when somebody unpacks it
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148); // as the checksum counts itself
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** Name and size that a header tells, or `undefined` for the zeros of the end. Only what we would have written passes. */
export function readTarHeader(header: Buffer): { name: string; size: number } | undefined {
  if (header.every((byte) => byte === 0)) return undefined;
  const name = header.toString('utf8', 0, header.indexOf(0));
  const size = Number.parseInt(header.toString('latin1', 124, 135), 8);
  const isOurs = isSafe(name) && Number.isSafeInteger(size) && tarHeader(name, size).equals(header);
  if (!isOurs) throw new Damaged('a header was changed');
  return { name, size };
}

/** Zeros up to the next whole block. */
export const padding = (size: number): Buffer => Buffer.alloc((BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES);

/** A name that leads nowhere else than down, and that fits into a line. */
export function isSafe(name: string): boolean {
  const segments = name.split('/');
  return (
    Buffer.byteLength(name) <= NAME_BYTES &&
    !/[\x00-\x1f\x7f\\:]/.test(name) &&
    segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..')
  );
}
