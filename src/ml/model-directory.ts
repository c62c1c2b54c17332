import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseHeads } from './heads.ts';
import { byVersion, type Manifest, type ModelFile, parseManifest } from './manifest.ts';

export interface InstalledVersion {
  readonly version: string;
  readonly folder: string;
  readonly manifest: Manifest;
}

export type ModelDirectory = Awaited<ReturnType<typeof openModelDirectory>>;

const REFRESH_INTERVAL_MS = 1000;
// Folder times have a resolution of milliseconds: a folder modified this recently may change again without a new time.
const MTIME_SETTLE_MS = 1000;

/**
 * Opens and watches the folders; a version renamed into place is found without a restart. The first folder takes
 * precedence for a version. `onProblem` is called once per invalid folder.
 */
export async function openModelDirectory(
  roots: readonly string[],
  onProblem: (folder: string, error: unknown) => void,
) {
  const folders = roots.map((root) => ({ root, changedMs: 0, versions: new Map<string, InstalledVersion>() }));
  const reported = new Set<string>();
  let all: readonly InstalledVersion[] = [];

  const look = async () => {
    let changed = false;
    for (const folder of folders) {
      const { mtimeMs } = await stat(folder.root).catch(() => ({ mtimeMs: -1 }));
      if (mtimeMs === folder.changedMs) continue;
      folder.versions = mtimeMs < 0 ? new Map() : await readFolder(folder.root, reportProblem);
      folder.changedMs = mtimeMs < 0 || Date.now() - mtimeMs > MTIME_SETTLE_MS ? mtimeMs : 0;
      changed = true;
    }
    if (!changed) return;
    const byVersionName = new Map([...folders].reverse().flatMap(({ versions }) => [...versions]));
    all = [...byVersionName.values()].sort((a, b) => byVersion(a.version, b.version));
  };
  const reportProblem = (folder: string, error: unknown) => {
    if (reported.has(folder)) return;
    reported.add(folder);
    onProblem(folder, error);
  };

  await look();
  const timer = setInterval(() => void look().catch((error) => reportProblem('', error)), REFRESH_INTERVAL_MS).unref();
  return {
    /** Oldest first; at most {@link REFRESH_INTERVAL_MS} old. */
    versions: () => all,
    /** Refreshes now; costs one `stat` per unchanged folder. */
    refresh: look,
    close: () => clearInterval(timer),
  };
}

async function readFolder(root: string, onProblem: (folder: string, error: unknown) => void) {
  const found = new Map<string, InstalledVersion>();
  for (const name of await readdir(root)) {
    // Hidden folders are versions still being installed.
    if (name.startsWith('.')) continue;
    const folder = join(root, name);
    try {
      const manifest = parseManifest(await readFile(join(folder, 'manifest.json'), 'utf8'));
      if (manifest.version !== name) throw new Error(`manifest.json names the version ${manifest.version}.`);
      found.set(name, await withSurfaces({ version: name, folder, manifest }));
    } catch (error) {
      onProblem(folder, error);
    }
  }
  return found;
}

/** Manifests of versions trained before `surfaces` existed lack them: the surface head has the same names. */
async function withSurfaces(installed: InstalledVersion): Promise<InstalledVersion> {
  const { manifest } = installed;
  if (manifest.taxonomy.surfaces) return installed;
  const surfaces = await readVerifiedFile(installed, 'heads.json').then(
    ({ bytes }) => parseHeads(bytes.toString('utf8')).heads['surface']?.labels,
    // Loading the version reports the problem.
    () => undefined,
  );
  if (!surfaces) return installed;
  return { ...installed, manifest: { ...manifest, taxonomy: { ...manifest.taxonomy, surfaces: [...surfaces] } } };
}

/**
 * Finds a file of a version and verifies its SHA-256. A missing file may come from one of `others` that declares the
 * same hash: versions share a backbone.
 */
export async function readVerifiedFile(
  { folder, manifest, version }: InstalledVersion,
  name: ModelFile,
  others: readonly InstalledVersion[] = [],
): Promise<{ path: string; bytes: Buffer }> {
  const sha256 = manifest.files[name]?.sha256;
  if (sha256 === undefined) throw new Error(`The manifest of version ${version} does not list ${name}.`);
  const sources = others.filter((other) => other.manifest.files[name]?.sha256 === sha256);
  for (const place of [folder, ...sources.map((twin) => twin.folder)]) {
    const path = join(place, name);
    const bytes = await readFile(path).catch(ignoreMissing);
    if (!bytes) continue;
    const found = createHash('sha256').update(bytes).digest('hex');
    if (found !== sha256) {
      throw new Error(
        `${path} does not match the manifest of version ${version}: its SHA-256 is ${found}, not ${sha256}.`,
      );
    }
    return { path, bytes };
  }
  throw new Error(`Version ${version} has no ${name}, and no other installed version provides it (SHA-256 ${sha256}).`);
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
