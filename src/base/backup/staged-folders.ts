import { createWriteStream } from 'node:fs';
import { lchown, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ifMissing } from '../file-system.ts';
import { newId } from '../ids.ts';

const [STAGING, REPLACED] = ['.restored-', '.replaced-'] as const;

/** Whether a path in one of the folders was left by a killed restore; the next restore deletes it. */
export const isStaged = (path: string): boolean => path.startsWith(STAGING) || path.startsWith(REPLACED);
/** Whether the path is only a copy from the backup. */
export const isStagedCopy = (path: string): boolean => path.startsWith(STAGING);

export type StagedFolders = ReturnType<typeof stageFolders>;

/**
 * Replaces the content of several folders together: writes the new files beside the existing ones, then renames the
 * entries of the folders, not the folders, since each may be a mount point.
 */
export function stageFolders(dataDir: string, folders: readonly string[]) {
  const id = newId();
  const [staging, replaced] = [`${STAGING}${id}`, `${REPLACED}${id}`];
  const moved: { from: string; to: string }[] = [];

  async function moveAll(from: string, to: string, except: readonly string[] = []): Promise<void> {
    await mkdir(to, { recursive: true, mode: 0o700 });
    for (const name of await readdir(from)) {
      if (except.includes(name)) continue;
      const move = { from: join(from, name), to: join(to, name) };
      await rename(move.from, move.to);
      moved.push(move);
    }
  }

  async function finish(): Promise<void> {
    for (const name of [staging, replaced]) {
      for (const folder of folders) await rm(join(dataDir, folder, name), { recursive: true, force: true });
    }
  }

  return {
    /** `name` begins with one of the folders. */
    async add(name: string, content: AsyncIterable<Buffer>): Promise<void> {
      const folder = folders.find((each) => name.startsWith(`${each}/`));
      if (folder === undefined) throw new Error(`${name} is not in a folder of the backup.`);
      const path = join(dataDir, folder, staging, name.slice(folder.length + 1));
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }));
    },
    async swapIn(): Promise<void> {
      for (const folder of folders.map((each) => join(dataDir, each))) {
        const names = (await readdir(folder).catch(ifMissing)) ?? [];
        if (names.length === 0) continue;
        await chownToDataDir(folder, dataDir);
        await moveAll(folder, join(folder, replaced), [staging, replaced]);
        if (names.includes(staging)) await moveAll(join(folder, staging), folder);
      }
    },
    /** Restores the state before the first `add`. */
    async undo(): Promise<void> {
      for (const { from, to } of moved.reverse()) await rename(to, from);
      await finish();
    },
    finish,
  };
}

/** After a restore as root, the owner of DATA_DIR must be able to use the files. */
async function chownToDataDir(folder: string, dataDir: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(dataDir);
  for (const name of ['.', ...(await readdir(folder, { recursive: true }))]) await lchown(join(folder, name), uid, gid);
}
