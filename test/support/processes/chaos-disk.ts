import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, statfs, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A small file system in a loop-mounted file. */
export interface Disk {
  fill(): Promise<void>;
  free(): Promise<void>;
  /** For `forMs`, blocks writes for `stallMs` of every `stallMs + passMs`. */
  stall(options: { forMs: number; stallMs: number; passMs: number }): Promise<void>;
  /** Removes the disk and its data. It must not be in use. */
  remove(): Promise<void>;
}

const disks = new Set<string>();

/** Whether such disks can be mounted: requires root on Linux with loop devices. */
export async function canMountDisks(): Promise<boolean> {
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
 * Moves `folder` to a new disk and replaces it with a link, so that the folder can be removed even while the disk is
 * mounted. It must not be in use.
 */
export async function mountDisk(folder: string, megabytes: number): Promise<Disk> {
  const diskRoot = await mkdtemp(join(tmpdir(), `assay-disk-${process.pid}-`));
  disks.add(diskRoot);
  const [image, mount] = [join(diskRoot, 'image'), join(diskRoot, 'mount')];
  await chmod(diskRoot, 0o711);
  await writeFile(image, '');
  await truncate(image, megabytes * 1024 ** 2);
  // No reserved blocks, because root writes here.
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
      // fallocate fills the disk at once, independent of the speed of the underlying disk.
      for (let i = 0; i < 5; i++) {
        const { bavail, bsize } = await statfs(mount);
        if (bavail === 0) return;
        await run('fallocate', ['-l', String(bavail * bsize), `${ballast}${i}`]).catch(() => {});
      }
    },
    async free() {
      for (let i = 0; i < 5; i++) await rm(`${ballast}${i}`, { force: true });
    },
    async stall({ forMs, stallMs, passMs }) {
      for (const began = Date.now(); Date.now() - began < forMs; await delay(passMs)) {
        // A detached process unfreezes the disk even if this one exits.
        const freezeScript = 'fsfreeze -f "$0" && { sleep "$1"; fsfreeze -u "$0"; }';
        await once(spawn('sh', ['-c', freezeScript, mount, String(stallMs / 1000)], { detached: true }), 'exit');
      }
    },
    remove: () => removeDisk(diskRoot),
  };
}

/** Unmounts every disk; processes that still use one keep it until they exit. */
export async function removeDisks(): Promise<void> {
  for (const diskRoot of disks) await removeDisk(diskRoot);
}

async function removeDisk(diskRoot: string): Promise<void> {
  await run('umount', ['-l', join(diskRoot, 'mount')]).catch(() => {});
  await rm(diskRoot, { recursive: true, force: true });
  disks.delete(diskRoot);
}
