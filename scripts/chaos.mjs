// Runs test/chaos-all.test.ts (fault injection) with other parameters:
// node scripts/chaos.mjs --seed 7 --tasks 20000 --minutes 10 --faults kill,pause,partition,restart,failover,disk-full,slow-disk
// Disk faults require root on Linux with loop devices.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { asked, refuse } from './asked.mjs';

const FAULTS = ['kill', 'pause', 'partition', 'restart', 'failover', 'disk-full', 'slow-disk'];

const USAGE = `usage: node scripts/chaos.mjs [--seed 1] [--tasks 2000] [--minutes 3] [--faults ${FAULTS.join()}]
Sends --tasks tasks over --minutes minutes, and more while faults are active. With 0 minutes each fault runs once.`;
const values = asked(USAGE, {
  seed: { type: 'string', default: '1' },
  tasks: { type: 'string', default: '2000' },
  minutes: { type: 'string', default: '3' },
  faults: { type: 'string', default: FAULTS.join() },
});
const unknown = values.faults.split(',').filter((fault) => !FAULTS.includes(fault));
if (unknown.length > 0 || ![values.seed, values.tasks, values.minutes].every((number) => Number(number) >= 0)) {
  refuse(`--seed, --tasks and --minutes must be numbers; --faults must be a list from ${FAULTS.join()}.`);
}
const { status } = spawnSync(
  process.execPath,
  [fileURLToPath(new URL('test.mjs', import.meta.url)), 'test/chaos-all.test.ts'],
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
