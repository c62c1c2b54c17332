// What must be there; nothing is installed from here.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The Node.js that runs every contender: pg-boss 12 wants 22.12. Ends the program with a sentence if something lacks. */
export function needed() {
  for (const [program, flag] of [
    ['redis-server', '--version'],
    ['wrk', '--version'],
  ]) {
    if (spawnSync(program, [flag]).error) refuse(`${program} is missing: apt-get install ${program}`);
  }
  if (!existsSync(new URL('node_modules/bullmq', import.meta.url))) {
    refuse('BullMQ and pg-boss are missing: npm ci --prefix bench/peers');
  }
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 12)) return process.execPath;
  const own = fileURLToPath(new URL('node_modules/.bin/node', import.meta.url));
  if (!existsSync(own)) refuse('pg-boss needs Node.js 22.12 or newer: run this with one.');
  return own;
}

function refuse(sentence) {
  console.error(sentence);
  process.exit(2);
}
