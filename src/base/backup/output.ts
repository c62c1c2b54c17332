import { open, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../file-system.ts';
import { newId } from '../ids.ts';
import { OperatorError } from '../operator-error.ts';

export interface BackupOutput {
  write(piece: Buffer): Promise<void>;
  /** Publishes the complete backup durably. */
  commit(): Promise<void>;
  discard(): Promise<void>;
}

/** A file with mode 0600 that replaces an existing one only when it is complete. */
export async function fileOutput(path: string): Promise<BackupOutput> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) throw new OperatorError(`${path} is a folder; give the name of a file.`);
  const draft = `${path}.${newId()}.partial`;
  const file = await open(draft, 'wx', 0o600).catch(failWith(path));
  return {
    write: (piece) => file.writeFile(piece).catch(failWith(path)),
    async commit() {
      await file.sync();
      await file.close();
      await rename(draft, path).catch(failWith(path));
      await syncFolder(dirname(path)).catch(() => {}); // not every file system can
    },
    async discard() {
      await file.close();
      await unlink(draft);
    },
  };
}

export function streamOutput(out: NodeJS.WriteStream): BackupOutput {
  const failure = ({ message }: Error) => new OperatorError(`The backup could not be written: ${message}.`);
  // Each write reports its error; without a listener the process would crash.
  out.on('error', () => {});
  return {
    async write(piece) {
      await new Promise<void>((resolve, reject) => {
        out.write(piece, (error) => (error ? reject(failure(error)) : resolve()));
      });
    },
    commit: async () => {},
    discard: async () => {},
  };
}

const failWith =
  (path: string) =>
  (error: NodeJS.ErrnoException): never => {
    throw new OperatorError(`${path} could not be written: ${error.message}.`);
  };
