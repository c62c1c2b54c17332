import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, statfs, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A disk of its own, small enough to be filled: a file system in a file. */
export interface Disk {
  /** Takes every block that is left. */
  fill(): Promise<void>;
  free(): Promise<void>;
  /** For so long, whatever is written waits: for `stallMs` of every `stallMs + passMs`. */
  stall(options: { forMs: number; stallMs: number; passMs: number }): Promise<void>;
  /** With all that is on it. Nobody may be using it. */
  remove(): Promise<void>;
}

const disks = new Set<string>();

/** Whether this machine lets us mount such disks: root may, on Linux, where there are loop devices. */
export async function disksWork(): Promise<boolean> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const folder = await mkdtemp(join(tmpdir(), `assay-test-${process.pid}-`));
  try {
    await mountDisk(folder, 8);
    return true;
  } catch {
    return false;
  } finally {
    await removeDisks();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Puts what lies in `folder` onto a new disk of `megabytes`, and a link to it in its place: what is mounted elsewhere keeps
 * nobody from removing the folder, however a test has ended. Nobody may be using it.
 */
export async function mountDisk(folder: string, megabytes: number): Promise<Disk> {
  const home = await mkdtemp(join(tmpdir(), `assay-disk-${process.pid}-`));
  disks.add(home);
  const [image, mount] = [join(home, 'image'), join(home, 'mount')];
  await chmod(home, 0o711);
  await writeFile(image, '');
  await truncate(image, megabytes * 1024 ** 2);
  // Without blocks that are kept for root, who writes here: full is to be full for everybody.
  await run('mkfs.ext4', ['-q', '-m', '0', '-E', 'lazy_itable_init=0,lazy_journal_init=0', image]);
  await mkdir(mount);
  await run('mount', ['-o', 'loop', image, mount]);
  await rm(join(mount, 'lost+found'), { recursive: true });
  await run('cp', ['-a', `${folder}/.`, mount]);
  await rm(folder, { recursive: true });
  await symlink(mount, folder);
  const ballast = join(mount, 'ballast');

  return {
    async fill() {
      // Allocated, not written: full at once, whatever the disk underneath can do.
      for (let round = 0; round < 5; round++) {
        const { bavail, bsize } = await statfs(mount);
        if (bavail === 0) return;
        await run('fallocate', ['-l', String(bavail * bsize), `${ballast}${round}`]).catch(() => {});
      }
    },
    async free() {
      for (let round = 0; round < 5; round++) await rm(`${ballast}${round}`, { force: true });
    },
    async stall({ forMs, stallMs, passMs }) {
      for (const began = Date.now(); Date.now() - began < forMs; await delay(passMs)) {
        // In a process of its own, which thaws what it froze even if this one dies meanwhile.
        const pulse = 'fsfreeze -f "$0" && { sleep "$1"; fsfreeze -u "$0"; }';
        await once(spawn('sh', ['-c', pulse, mount, String(stallMs / 1000)], { detached: true }), 'exit');
      }
    },
    remove: () => removeDisk(home),
  };
}

/** Takes every disk away again; what still uses one keeps it until it ends. */
export async function removeDisks(): Promise<void> {
  for (const home of disks) await removeDisk(home);
}

async function removeDisk(home: string): Promise<void> {
  await run('umount', ['-l', join(home, 'mount')]).catch(() => {});
  await rm(home, { recursive: true, force: true });
  disks.delete(home);
}
