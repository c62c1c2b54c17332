import { once } from 'node:events';
import { access, chmod, readdir, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { succeeds } from '../file-system.ts';
import { isServerOf, readLockFile } from './postmaster.ts';
import { isAlive } from './processes.ts';

// The processes reach the embedded server through a Unix socket in its cluster folder: a statement takes 8 to 12 % less time than over
// TCP (measured). Without one they use TCP: on Windows, in folders with a long path, and on file systems without sockets.

/** The longest path of a socket, in bytes: 108 on Linux and 104 on macOS, with a final zero. */
const MAX_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

/** Sockets of servers, their lock files, and `PROBE`. */
const SOCKET_FILE = /^\.s\.PGSQL\./;
/** As long as the name of a socket with the longest port. */
const PROBE = '.s.PGSQL.probe';

/** Returns `unix_socket_directories` for a server that starts in `cluster`: empty, or the folder itself. */
export async function prepareUnixSocket(cluster: string): Promise<string> {
  if (process.platform === 'win32' || !hasShortPath(cluster)) return '';
  return (await succeeds(removeStaleSockets(cluster).then(() => probe(join(cluster, PROBE))))) ? '.' : '';
}

/** The folder of the socket of a running server; undefined if it has none. */
export async function unixSocketFolder(cluster: string, port: number): Promise<string | undefined> {
  if (!hasShortPath(cluster)) return undefined;
  return (await succeeds(access(join(cluster, `.s.PGSQL.${port}`)))) ? cluster : undefined;
}

/**
 * Removes what a killed server has left. PostgreSQL does so itself, unless another process has the server's process id by now, which
 * is usual after the restart of a container.
 */
async function removeStaleSockets(cluster: string): Promise<void> {
  for (const name of (await readdir(cluster)).filter((each) => SOCKET_FILE.test(each))) {
    // A server of another process that starts now has written its own lock file before it creates a socket.
    const lock = await readLockFile(cluster);
    if (lock && (await isAlive(lock.pid)) && (await isServerOf(lock.pid, cluster)) !== false) return;
    await rm(join(cluster, name), { force: true });
  }
}

/** Does what PostgreSQL does, which does not start if it cannot create a socket: some mounted file systems reject `chmod`. */
async function probe(path: string): Promise<void> {
  const server = createServer().listen(path);
  await once(server, 'listening');
  try {
    await chmod(path, 0o777);
    const client = connect(path);
    await once(client, 'connect').finally(() => client.destroy());
  } finally {
    await new Promise((resolve) => server.close(resolve)); // also removes the socket
  }
}

const hasShortPath = (cluster: string) => Buffer.byteLength(join(cluster, PROBE)) <= MAX_PATH_BYTES;
