/** The archive is not a backup, or was changed. */
export class CorruptArchive extends Error {
  override readonly name = 'CorruptArchive';
}

export const BLOCK_BYTES = 512;
export const END_BLOCKS = Buffer.alloc(2 * BLOCK_BYTES);
/** Eleven octal digits. */
const MAX_FILE_BYTES = 8 ** 11 - 1;
/** Without the terminating zero. */
const NAME_BYTES = 99;

/** A tar header (POSIX.1-1988, "ustar"), deterministic: times and owners are zero. */
export function tarHeader(name: string, size: number): Buffer {
  if (!isSafePath(name)) throw new Error(`The name ${name} is too long or not portable.`);
  if (size > MAX_FILE_BYTES) throw new Error(`${name} is larger than 8 GiB.`);
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(name, 0, 'utf8');
  header.write('0000600\0', 100); // mode
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148); // the checksum field counts as spaces
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** Undefined for a zero block. Accepts only headers that `tarHeader` creates. */
export function readTarHeader(header: Buffer): { name: string; size: number } | undefined {
  if (header.every((byte) => byte === 0)) return undefined;
  const name = header.toString('utf8', 0, header.indexOf(0));
  const size = Number.parseInt(header.toString('latin1', 124, 135), 8);
  const isOurs = isSafePath(name) && Number.isSafeInteger(size) && tarHeader(name, size).equals(header);
  if (!isOurs) throw new CorruptArchive('a header was changed');
  return { name, size };
}

export const padding = (size: number): Buffer => Buffer.alloc((BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES);

/** Whether the name is a portable relative path without `..` and control characters. */
export function isSafePath(name: string): boolean {
  const segments = name.split('/');
  return (
    Buffer.byteLength(name) <= NAME_BYTES &&
    !/[\x00-\x1f\x7f\\:]/.test(name) &&
    segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..')
  );
}
