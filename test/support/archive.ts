import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** A ZIP archive of these files. */
export async function archiveOf(
  files: readonly (readonly [name: string, bytes: Buffer])[],
  { compress = true, zip64 = false }: { compress?: boolean; zip64?: boolean } = {},
): Promise<Buffer> {
  const archive = new ZipFile();
  for (const [name, bytes] of files) {
    if (name.endsWith('/')) archive.addEmptyDirectory(name);
    else archive.addBuffer(bytes, name, { compress });
  }
  archive.end({ forceZip64Format: zip64, comment: '' });
  return buffer(archive.outputStream);
}

/** The archive with a name replaced by another of the same length, which a correct program would not write. */
export function renamed(archive: Buffer, from: string, to: string): Buffer {
  if (Buffer.byteLength(from) !== Buffer.byteLength(to)) throw new Error('the names must have the same length');
  return Buffer.from(archive.toString('latin1').replaceAll(from, Buffer.from(to).toString('latin1')), 'latin1');
}

const CENTRAL_HEADER = Buffer.from('PK\x01\x02', 'latin1');

/** The archive with other bytes in the directory header of its first file. */
export function withHeader(archive: Buffer, offset: number, bytes: readonly number[]): Buffer {
  const changed = Buffer.from(archive);
  changed.set(bytes, changed.indexOf(CENTRAL_HEADER) + offset);
  return changed;
}
