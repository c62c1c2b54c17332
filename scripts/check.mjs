// `npm run check`: builds, then runs the scripts `check:*` of package.json, one per core, in their order there (longest first).
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from './build.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const waiting = Object.entries(scripts).filter(([name]) => name.startsWith('check:'));
const PATH = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter);

ensureBuilt();
await Promise.all(Array.from({ length: availableParallelism() }, runChecks));

async function runChecks() {
  for (let check = waiting.shift(); check; check = waiting.shift()) {
    const [name, command] = check;
    const { output, code } = await run(command);
    console.log(`${code === 0 ? 'passed' : 'FAILED'}: ${name}\n${output}`);
    if (code !== 0) process.exitCode = 1;
  }
}

function run(command) {
  const child = spawn(command, {
    cwd: root,
    shell: true,
    env: { ...process.env, PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ output, code }));
  });
}
