// `npm test` and its tiers: `--unit` (no server, no browser), none (default), `--full` (everything), `--watch` (unit tests on
// change). Other arguments go to vitest; a named file runs in the tier it belongs to.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ensureBuilt } from './build.mjs';

const PROJECTS = { '--unit': ['unit'], '--watch': ['unit'], '--full': ['unit', 'integration', 'full'] };
const DEFAULT_PROJECTS = ['unit', 'integration'];

const tier = process.argv.slice(2).find((argument) => argument in PROJECTS);
const rest = process.argv.slice(2).filter((argument) => argument !== tier);
const namesFiles = rest.some((argument) => /^(src|test)\b/.test(argument));
const projects = namesFiles ? PROJECTS['--full'] : (PROJECTS[tier] ?? DEFAULT_PROJECTS);

// Integration tests start the built product.
if (projects.length > 1) ensureBuilt();
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const args = [tier === '--watch' ? 'watch' : 'run', ...projects.flatMap((name) => ['--project', name]), ...rest];
const { status } = spawnSync(process.execPath, [vitest, ...args], { stdio: 'inherit' });
process.exitCode = status ?? 1;
