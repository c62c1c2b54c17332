import { open, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { newId } from '../ids.ts';
import { OperatorError } from '../operator-error.ts';

/** Where a backup goes: complete, or not there. */
export interface Output {
  write(piece: Buffer): Promise<void>;
  /** Afterwards it is there, on disk. */
  keep(): Promise<void>;
  /** Afterwards nothing is left of it; not for what has been kept. */
  discard(): Promise<void>;
}

/** A file that only its owner may read, written beside its place: an older one stays until the new one is complete. */
export async function fileOutput(path: string): Promise<Output> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) throw new OperatorError(`${path} is a folder; name the file that the backup shall be.`);
  const draft = `${path}.${newId()}.partial`;
  const file = await open(draft, 'wx', 0o600).catch(inWords(path));
  return {
    write: (piece) => file.writeFile(piece).catch(inWords(path)),
    async keep() {
      await file.sync();
      await file.close();
      await rename(draft, path).catch(inWords(path));
      const folder = await open(dirname(path)).catch(() => undefined);
      await folder?.sync().catch(() => {}); // so that a power cut does not undo the rename
      await folder?.close();
    },
    async discard() {
      await file.close();
      await unlink(draft);
    },
  };
}

/** Standard output, for whoever sends a backup on its way at once. */
export function streamOutput(out: NodeJS.WriteStream): Output {
  const refused = ({ message }: Error) => new OperatorError(`The backup could not be written: ${message}.`);
  // Each piece is told of it; without a listener it would end the process.
  out.on('error', () => {});
  return {
    async write(piece) {
      // Called back when it is written, and when it never will be.
      await new Promise<void>((resolve, reject) => {
        out.write(piece, (error) => (error ? reject(refused(error)) : resolve()));
      });
    },
    keep: async () => {},
    discard: async () => {},
  };
}

const inWords =
  (path: string) =>
  (error: NodeJS.ErrnoException): never => {
    throw new OperatorError(`${path} could not be written: ${error.message}.`);
  };
