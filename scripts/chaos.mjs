// `kill -9` on everything in turn, for as long as you like: node scripts/chaos.mjs --seed 7 --tasks 2000 --minutes 5
// It is test/chaos.test.ts with other numbers.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    tasks: { type: 'string', default: '1000' },
    minutes: { type: 'string', default: '5' },
  },
});
const { status } = spawnSync(
  process.execPath,
  [fileURLToPath(new URL('test.mjs', import.meta.url)), 'test/chaos.test.ts', '-t', 'whatever is killed'],
  {
    cwd: fileURLToPath(new URL('../', import.meta.url)),
    stdio: 'inherit',
    env: { ...process.env, CHAOS_SEED: values.seed, CHAOS_TASKS: values.tasks, CHAOS_MINUTES: values.minutes },
  },
);
process.exitCode = status ?? 1;
