import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const run = (source: string) => {
  const program = `import { stopSignal } from ${JSON.stringify(new URL('./stop-signal.ts', import.meta.url).href)};
    import { setTimeout as sleep } from 'node:timers/promises';
    const wait = setTimeout(() => undefined, 30_000);
    const signal = stopSignal();
    const kill = () => process.kill(process.pid, 'SIGTERM');
    ${source}`;
  const { status, signal } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    env: {
      ...process.env,
      NODE_OPTIONS: `--import=${new URL('../../test/support/read-types.mjs', import.meta.url).href}`,
    },
    timeout: 20_000,
    killSignal: 'SIGUSR2',
  });
  return { status, signal };
};

it('a signal that is repeated while the thread is busy does not kill the process, and one a second later does', () => {
  const blocked = `signal.addEventListener('abort', () => {
    kill();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1200);
    setTimeout(() => clearTimeout(wait), 100);
  });
  kill();`;
  expect(run(blocked)).toEqual({ status: 0, signal: null });
  expect(run('kill(); await sleep(1300); kill(); await sleep(5000);')).toEqual({ status: null, signal: 'SIGKILL' });
});
