import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';

/** Starts a process that listens and runs `source` when it is stopped. */
async function start(source: string) {
  const program = `import { stopSignal } from ${JSON.stringify(new URL('./stop-signal.ts', import.meta.url).href)};
    import { createServer } from 'node:net';
    const server = createServer().listen(0, '127.0.0.1', () => console.log('ready'));
    stopSignal().addEventListener('abort', () => { ${source} });`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    env: {
      ...process.env,
      NODE_OPTIONS: `--import=${new URL('../../test/support/read-types.mjs', import.meta.url).href}`,
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  return { child, ended };
}

it('a signal that is repeated while the thread is busy does not kill the process', async () => {
  const { ended, child } = await start(`
    process.kill(process.pid, 'SIGTERM');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1200);
    setTimeout(() => server.close(), 100);`);
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

it('a signal that is repeated more than a second later kills a process that waits', async () => {
  const { ended, child } = await start('');
  child.kill('SIGTERM');
  await sleep(1500);
  child.kill('SIGTERM');
  expect(await ended).toEqual([null, 'SIGKILL']);
});
