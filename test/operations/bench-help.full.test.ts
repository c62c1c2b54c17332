import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const scripts = readdirSync(new URL('bench/', ROOT)).filter((name) => name.endsWith('.mjs'));
/** Files whose first comment has their command; the others are parts of these. */
const benchmarks = [...scripts, 'peers/run.mjs']
  .map((name) => `bench/${name}`)
  .filter((file) => new RegExp(`^(//.*\n)*//.*node .*${file}`).test(readFileSync(new URL(file, ROOT), 'utf8')));

it.each(benchmarks)('%s prints its usage with --help and exits with 0', { timeout: 60_000 }, (file) => {
  const args = ['--import', './test/support/read-types.mjs', file, '--help'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(new RegExp(`^(?!/).*node .*${file}`, 's'));
});
