// How much of passports in other layouts is found: every layout of test/documents as a PDF, as a scan and as photos.
//
//     node bench/documents-accuracy.mjs [seed,seed…]     fresh documents for seeds that nobody used before
//
// Layouts marked "held out" were not looked at while the rules were tuned.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const env = { ...process.env, DOCUMENTS: 'all', DOCUMENTS_SEEDS: process.argv[2] ?? '1,2,3' };
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const { status } = spawnSync(process.execPath, [vitest, 'run', 'test/documents/accuracy.test.ts'], {
  cwd: root,
  env,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
