import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { byVersion, type Manifest, type ModelFile, parseManifest } from './manifest.ts';

/** A model version on disk. Its files have not been looked at yet. */
export interface Installed {
  readonly version: string;
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The model versions under some folders, one subfolder each. */
export interface Shelf {
  /** Oldest first; as of the last look, which is at most {@link LOOK_MS} ago. */
  versions(): readonly Installed[];
  /** Looks at once, at the cost of one `stat` for each folder in which nothing has changed. */
  look(): Promise<void>;
  close(): void;
}

const LOOK_MS = 1000;
// File systems date changes by ticks of some milliseconds: a folder that changed this lately may change again unseen.
const UNSETTLED_MS = 1000;

/**
 * Opens the shelf; a version that is put there later (its folder renamed into place) is seen without a restart. Where
 * two folders hold the same version, the first one's counts. `onProblem` hears once of each folder that is no version.
 */
export async function openShelf(
  roots: readonly string[],
  onProblem: (folder: string, error: unknown) => void,
): Promise<Shelf> {
  const shelves = roots.map((root) => ({ root, changedMs: 0, versions: new Map<string, Installed>() }));
  const reported = new Set<string>();
  let all: readonly Installed[] = [];

  const look = async () => {
    let changed = false;
    for (const shelf of shelves) {
      const { mtimeMs } = await stat(shelf.root).catch(() => ({ mtimeMs: -1 }));
      if (mtimeMs === shelf.changedMs) continue;
      shelf.versions = mtimeMs < 0 ? new Map() : await readShelf(shelf.root, problem);
      shelf.changedMs = mtimeMs < 0 || Date.now() - mtimeMs > UNSETTLED_MS ? mtimeMs : 0;
      changed = true;
    }
    if (!changed) return;
    const first = new Map([...shelves].reverse().flatMap(({ versions }) => [...versions]));
    all = [...first.values()].sort((a, b) => byVersion(a.version, b.version));
  };
  const problem = (folder: string, error: unknown) => {
    if (reported.has(folder)) return;
    reported.add(folder);
    onProblem(folder, error);
  };

  await look();
  const timer = setInterval(() => void look().catch((error) => problem('', error)), LOOK_MS).unref();
  return { versions: () => all, look, close: () => clearInterval(timer) };
}

async function readShelf(root: string, onProblem: (folder: string, error: unknown) => void) {
  const found = new Map<string, Installed>();
  for (const name of await readdir(root)) {
    // Drafts of a version being installed are hidden until they are renamed.
    if (name.startsWith('.')) continue;
    const folder = join(root, name);
    try {
      const manifest = parseManifest(await readFile(join(folder, 'manifest.json'), 'utf8'));
      if (manifest.version !== name) throw new Error(`manifest.json names the version ${manifest.version}.`);
      found.set(name, { version: name, folder, manifest });
    } catch (error) {
      onProblem(folder, error);
    }
  }
  return found;
}

/**
 * Where the file of a version lies, once its bytes have been found to be those that its manifest names. A file that the
 * version itself has not may lie with any of `others` that names the same bytes: heads share a backbone.
 */
export async function verifiedFile(
  { folder, manifest, version }: Installed,
  name: ModelFile,
  others: readonly Installed[] = [],
): Promise<{ path: string; bytes: Buffer }> {
  const { sha256 } = manifest.files[name];
  const twins = others.filter((other) => other.manifest.files[name].sha256 === sha256);
  for (const place of [folder, ...twins.map((twin) => twin.folder)]) {
    const path = join(place, name);
    const bytes = await readFile(path).catch(ifMissing);
    if (!bytes) continue;
    const found = createHash('sha256').update(bytes).digest('hex');
    if (found !== sha256) {
      throw new Error(
        `${path} is not the file that the manifest of version ${version} names: its SHA-256 is ${found}, not ${sha256}.`,
      );
    }
    return { path, bytes };
  }
  throw new Error(
    `Version ${version} has no ${name}, and no other installed version has the one it names (SHA-256 ${sha256}).`,
  );
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
