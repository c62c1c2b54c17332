// Injects faults into a running product and checks the results, as test/faults/chaos-all.full.test.ts with other parameters:
// node scripts/chaos.mjs --seed 7 --tasks 20000 --minutes 10 --faults kill,pause,partition,restart,failover,disk-full,slow-disk
// The disk faults use loop devices and need root on Linux.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { exitWithUsage, parseScriptOptions } from './script-options.mjs';

const FAULTS = ['kill', 'pause', 'partition', 'restart', 'failover', 'disk-full', 'slow-disk'];

const USAGE = `usage: node scripts/chaos.mjs [--seed 1] [--tasks 2000] [--minutes 3] [--faults ${FAULTS.join()}]
Creates --tasks tasks over --minutes minutes, and more while faults last; 0 minutes: each fault once.`;
const values = parseScriptOptions(USAGE, {
  seed: { type: 'string', default: '1' },
  tasks: { type: 'string', default: '2000' },
  minutes: { type: 'string', default: '3' },
  faults: { type: 'string', default: FAULTS.join() },
});
const unknown = values.faults.split(',').filter((fault) => !FAULTS.includes(fault));
if (unknown.length > 0 || ![values.seed, values.tasks, values.minutes].every((number) => Number(number) >= 0)) {
  exitWithUsage(`--seed, --tasks and --minutes take numbers; --faults takes a list of ${FAULTS.join()}.`);
}
const { status } = spawnSync(
  process.execPath,
  [fileURLToPath(new URL('test.mjs', import.meta.url)), 'test/faults/chaos-all.full.test.ts'],
  {
    cwd: fileURLToPath(new URL('../', import.meta.url)),
    stdio: 'inherit',
    env: {
      ...process.env,
      CHAOS_SEED: values.seed,
      CHAOS_TASKS: values.tasks,
      CHAOS_MINUTES: values.minutes,
      CHAOS_FAULTS: values.faults,
      CHAOS_TELL: 'yes',
    },
  },
);
process.exitCode = status ?? 1;
