import { spawn } from 'node:child_process';
import type { FileHandle } from 'node:fs/promises';
import { totalmem } from 'node:os';
import type { Log } from '../log.ts';
import { sleep } from '../loop.ts';
import type { Binaries } from './binaries.ts';
import { clusterName, readLockFile, stopPostmaster } from './postmaster.ts';
import { type Account, reachablePath, serverEnvironment } from './server-account.ts';
import { openServerLog } from './server-log.ts';
import { prepareUnixSocket } from './unix-socket.ts';

/** The server cannot start yet; a later attempt may succeed. */
export class StartingUp extends Error {}

interface ServerOptions {
  binaries: Binaries;
  cluster: string;
  home: string;
  account: Account;
  port: number;
  unsafeForTests: boolean;
  log: Log;
  signal: AbortSignal | undefined;
}

/** Starts the server and waits, without a time limit, until it accepts connections: crash recovery may take minutes. */
export async function startServer(options: ServerOptions): Promise<{ pid: number; exited: Promise<void> }> {
  const { cluster, home, account, log, signal } = options;
  const dataPath = await reachablePath(cluster, account);
  const socketFolder = await prepareUnixSocket(cluster);
  const output = await openServerLog(home);
  const logStart = (await output.stat()).size;
  const server = spawnServer({ ...options, dataPath, socketFolder, output });
  try {
    for (let waitedMs = 0; !server.end(); waitedMs += 15) {
      const lock = await readLockFile(cluster);
      if (lock?.pid === server.pid && lock?.state === 'ready') return { pid: server.pid!, exited: server.exited };
      if (signal?.aborted) {
        await stopPostmaster(server.pid!, server.exited, log);
        signal.throwIfAborted();
      }
      if (waitedMs > 0 && waitedMs % 9_000 === 0) log.info({ pid: server.pid }, 'the database is recovering');
      await sleep(15, signal);
    }
    const message = server.end()?.message || (await readFrom(output, logStart));
    if (TRANSIENT_ERRORS.test(message)) throw new StartingUp(message);
    throw new Error(`PostgreSQL did not start: ${message || 'it ended without output'}`);
  } finally {
    await output.close();
  }
}

const TRANSIENT_ERRORS =
  /still in use|already exists|could not bind|could not create any TCP|starting up|shutting down/;

// Set on the command line, not in the cluster, so that a newer version of this program can change them.
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  max_connections: 100,
  shared_buffers: `${sharedBuffersMb()}MB`,
  // Reading 26 000 pages of the page cache took 0.3 to 0.9 s with I/O worker processes, 0.18 s without (measured).
  io_method: 'sync',
  wal_compression: 'on',
  max_wal_size: '1GB',
  // After a crash one call syncs the disk instead of one call per file: 0.1 s instead of 1 s (measured).
  ...(process.platform === 'linux' && { recovery_init_sync_method: 'syncfs' }),
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C', // TRANSIENT_ERRORS matches English messages
  log_checkpoints: 'off',
  log_error_verbosity: 'terse', // details quote rows, which contain user data
  max_parallel_workers_per_gather: 0, // parallel queries need a larger /dev/shm than containers have
};

/**
 * An eighth of the memory, 128 MB to 1 GB: the machine also runs models. A page that is not in them is copied from the page cache;
 * with 2 GB late pages of a million records took a third less time than with 128 MB.
 */
function sharedBuffersMb(): number {
  // Without a limit of the container it is 0 or more than the memory of the machine.
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.round(Math.min(Math.max(Math.min(totalmem(), limit) / 2 ** 23, 128), 1024));
}

const UNSAFE = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  autovacuum: 'off',
  max_connections: 300, // all test files of a run share a server
};

function spawnServer(options: ServerOptions & { dataPath: string; socketFolder: string; output: FileHandle }) {
  const { binaries, cluster, account, port, unsafeForTests, dataPath, socketFolder, output } = options;
  const args = ['-D', dataPath];
  const settings = {
    ...SETTINGS,
    ...(unsafeForTests && UNSAFE),
    ...{ port, cluster_name: clusterName(cluster), unix_socket_directories: socketFolder },
  };
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`);
  // Its own session, so that Ctrl-C in a terminal does not stop the server before the processes that use it.
  const child = spawn(binaries.postgres, args, {
    ...account,
    cwd: cluster,
    env: serverEnvironment(),
    stdio: ['ignore', output.fd, output.fd],
    detached: true,
    windowsHide: true,
  });
  child.unref();
  let end: Error | undefined;
  const exited = new Promise<void>((resolve) => {
    const finish = (error: Error) => {
      end = error;
      resolve();
    };
    child.once('exit', () => finish(new Error()));
    child.once('error', finish);
  });
  return { pid: child.pid, exited, end: () => end };
}

async function readFrom(file: FileHandle, position: number): Promise<string> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(4_096), position });
  return buffer.toString('utf8', 0, bytesRead).trim();
}
