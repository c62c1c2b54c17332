// Processes, servers and the temporary folder of a run; all are removed when the run ends.
import { fork, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function createEnvironment(node) {
  const home = mkdtempSync(join(tmpdir(), 'assay-peers-'));
  chmodSync(home, 0o711); // as root, PostgreSQL runs as another user
  const pids = new Set();
  const track = (pid) => pids.add(pid);

  const close = () => {
    for (const pid of pids) killTree(pid);
    pids.clear();
    rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  };
  process.once('exit', close);
  // Not `once`: a second signal must not interrupt the cleanup.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));

  return {
    folder(name) {
      const path = join(home, name);
      mkdirSync(path, { recursive: true });
      return path;
    },
    async run(file, args, env, { sendsMessage = true } = {}) {
      const options = { execPath: node, execArgv: [], env: { ...process.env, ...env } };
      const child = fork(file, args, { ...options, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      track(child.pid);
      child.once('exit', () => pids.delete(child.pid));
      return { child, message: sendsMessage ? await firstMessage(child, file) : undefined };
    },
    start(program, args) {
      const child = spawn(program, args, { stdio: 'ignore' });
      track(child.pid);
      child.once('exit', () => pids.delete(child.pid));
      return child;
    },
    adopt: track,
    kill(pid) {
      killTree(pid);
      pids.delete(pid);
    },
  };
}

export function command(child, name) {
  const done = new Promise((resolve, reject) => {
    const onMessage = (message) => {
      if (message.done !== name) return;
      child.off('message', onMessage);
      resolve();
    };
    child.on('message', onMessage);
    child.once('exit', () => reject(new Error(`a process ended during the command ${name}`)));
  });
  done.catch(() => {});
  child.send(name);
  return done;
}

const firstMessage = (child, file) =>
  new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${file} exited with ${code} before its first message`)));
  });

export function cpuSeconds(pids) {
  return pids.reduce((sum, pid) => sum + ownCpuSeconds(pid) + cpuSeconds(childrenOf(pid)), 0);
}

function ownCpuSeconds(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

const TICKS_PER_SECOND = 100;

function killTree(pid) {
  for (const child of childrenOf(pid)) killTree(child);
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function childrenOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
