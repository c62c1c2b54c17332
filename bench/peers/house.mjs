// Everything that a run starts: processes, servers and one folder under the temporary folder. All of it ends with the run,
// however the run ends.
import { fork, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `node`: the program that runs every JavaScript process of every contender. */
export function openHouse(node) {
  const home = mkdtempSync(join(tmpdir(), 'assay-peers-'));
  chmodSync(home, 0o711); // PostgreSQL of a root runs as somebody else
  const living = new Set();
  const alive = (pid) => living.add(pid);

  const close = () => {
    for (const pid of living) killTree(pid);
    living.clear();
    rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  };
  process.once('exit', close);
  // Kept, not `once`: a second one must not cut the cleaning short.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));

  return {
    folder(name) {
      const path = join(home, name);
      mkdirSync(path, { recursive: true });
      return path;
    },
    /** A JavaScript process and its first message; one that `speaks` none is not waited for. */
    async run(file, args, env, { speaks = true } = {}) {
      const options = { execPath: node, execArgv: [], env: { ...process.env, ...env } };
      const child = fork(file, args, { ...options, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      alive(child.pid);
      child.once('exit', () => living.delete(child.pid));
      return { child, message: speaks ? await firstMessage(child, file) : undefined };
    },
    /** Any other program. */
    start(program, args) {
      const child = spawn(program, args, { stdio: 'ignore' });
      alive(child.pid);
      child.once('exit', () => living.delete(child.pid));
      return child;
    },
    /** A server that somebody else has started, to be ended with the rest. */
    adopt: alive,
    kill(pid) {
      killTree(pid);
      living.delete(pid);
    },
  };
}

/** Asks a process to do something, and waits until it has. */
export function tell(child, what) {
  const done = new Promise((resolve, reject) => {
    const onMessage = (message) => {
      if (message.did !== what) return;
      child.off('message', onMessage);
      resolve();
    };
    child.on('message', onMessage);
    child.once('exit', () => reject(new Error(`a process ended while it was told to ${what}`)));
  });
  done.catch(() => {});
  child.send(what);
  return done;
}

const firstMessage = (child, file) =>
  new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code} before it said anything`)));
  });

/** Seconds of processor time that these processes have taken so far, with all that they have started. */
export function processorSeconds(pids) {
  return pids.reduce((sum, pid) => sum + own(pid) + processorSeconds(childrenOf(pid)), 0);
}

/** What a process took itself, and what its ended children took. */
function own(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
  } catch {
    return 0; // it has ended
  }
}

const TICKS_PER_SECOND = 100;

/** `kill -9` of a process and of those that it has started. */
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
