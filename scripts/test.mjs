// `npm test` and its tiers: `--unit` (no server, no browser), none (default), `--full` (everything), `--watch` (unit tests on
// change). Other arguments go to vitest; a named file or test runs in the tier it belongs to.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ensureBuilt } from './build.mjs';

const PROJECTS = {
  '--unit': ['unit'],
  '--watch': ['unit'],
  '--full': ['full', 'native', 'network'],
};
const DEFAULT_PROJECTS = ['short'];

const given = process.argv.slice(2).find((argument) => argument in PROJECTS);
const rest = process.argv.slice(2).filter((argument) => argument !== given);
const namesTests = rest.some((argument) => /^((src|test)\b|-t$|--testNamePattern)/.test(argument));
const tier = given ?? (namesTests ? '--full' : undefined);
const projects = PROJECTS[tier] ?? DEFAULT_PROJECTS;

// Integration tests start the built product.
if (!projects.includes('unit')) ensureBuilt();
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const args = [tier === '--watch' ? 'watch' : 'run', ...projects.flatMap((name) => ['--project', name]), ...rest];
// With two files at a time these tests leave a fifth of two cores idle. Fault injection of the full tier needs spare time.
if (tier !== '--full') args.push('--tagsFilter', '!full', '--maxWorkers=3');
const env = { ...process.env, TMPDIR: process.env.TMPDIR ?? memoryFolder() };
const { status } = spawnSync(process.execPath, [vitest, ...args], { stdio: 'inherit', env });
process.exitCode = status ?? 1;

/**
 * A folder in memory for the temporary files of tests, if there is room. ext4 compares each new file with all that were
 * deleted within seconds: a database of 500 files, created after another one was dropped, costs 0.3 s of CPU time there
 * and 0.03 s in memory.
 */
function memoryFolder() {
  const folder = '/dev/shm';
  if (process.platform !== 'linux' || !existsSync(folder)) return undefined;
  // Some tests run programs that they have copied.
  if (/^\S+ \/dev\/shm \S+ \S*\bnoexec\b/m.test(readFileSync('/proc/mounts', 'utf8'))) return undefined;
  const { bavail, bsize } = statfsSync(folder);
  return Math.min(bavail * bsize, process.availableMemory()) > 6 * 1024 ** 3 ? folder : undefined;
}
