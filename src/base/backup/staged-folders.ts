import { createWriteStream } from 'node:fs';
import { lchown, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { newId } from '../ids.ts';

/** Files that are first written beside those they replace, and then take their places together. */
export interface StagedFolders {
  /** `name` begins with one of the folders. */
  add(name: string, content: AsyncIterable<Buffer>): Promise<void>;
  /** From now on the folders hold what was added, and nothing else. */
  swapIn(): Promise<void>;
  /** Puts everything back as it was before `swapIn`, or before the first `add`. */
  undo(): Promise<void>;
  /** Removes what was replaced. */
  finish(): Promise<void>;
}

const [FRESH, OLD] = ['.restored-', '.replaced-'] as const;

/** Whether a path within one of the folders is what a restore that was killed has left; the next one removes it. */
export const isStaged = (path: string): boolean => path.startsWith(FRESH) || path.startsWith(OLD);
/** Whether it is a copy of what is in the backup, and so nobody's loss. */
export const isDraft = (path: string): boolean => path.startsWith(FRESH);

/** The folders themselves stay, since each may be a mount of its own: what is renamed is what lies in them. */
export function stageFolders(dataDir: string, folders: readonly string[]): StagedFolders {
  const id = newId();
  const [fresh, old] = [`${FRESH}${id}`, `${OLD}${id}`];
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

  const removeAll = async (name: string) => {
    for (const folder of folders) await rm(join(dataDir, folder, name), { recursive: true, force: true });
  };

  return {
    async add(name, content) {
      const folder = folders.find((each) => name.startsWith(`${each}/`));
      if (folder === undefined) throw new Error(`Nobody knows where ${name} belongs.`);
      const path = join(dataDir, folder, fresh, name.slice(folder.length + 1));
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }));
    },
    async swapIn() {
      for (const folder of folders.map((each) => join(dataDir, each))) {
        const there = await readdir(folder).catch(ifMissing);
        if (there.length === 0) continue;
        await handOver(folder, dataDir);
        await moveAll(folder, join(folder, old), [fresh, old]);
        if (there.includes(fresh)) await moveAll(join(folder, fresh), folder);
      }
    },
    async undo() {
      for (const { from, to } of moved.reverse()) await rename(to, from);
      for (const name of [fresh, old]) await removeAll(name);
    },
    async finish() {
      for (const name of [fresh, old]) await removeAll(name);
    },
  };
}

/** A restore as root leaves nothing that the owner of DATA_DIR cannot use. */
async function handOver(folder: string, dataDir: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(dataDir);
  for (const name of ['.', ...(await readdir(folder, { recursive: true }))]) await lchown(join(folder, name), uid, gid);
}

function ifMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code !== 'ENOENT') throw error;
  return [];
}
