import { once } from 'node:events';
import { access, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { succeeds } from '../file-system.ts';
import { isServerOf } from './postmaster.ts';
import { isAlive } from './processes.ts';

// The processes reach the embedded server through a Unix socket in its cluster folder: a statement takes 8 to 12 % less time than over
// TCP (measured). Without one they use TCP: on Windows, in folders with a long path, and on file systems without sockets.

/** The longest path of a socket, in bytes: 108 on Linux and 104 on macOS, with a final zero. */
const MAX_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

const SOCKET_LOCK = /^\.s\.PGSQL\.\d+\.lock$/;

/** Returns `unix_socket_directories` for a server that starts in `cluster`: empty, or the folder itself. */
export async function prepareUnixSocket(cluster: string): Promise<string> {
  if (process.platform === 'win32') return '';
  await removeStaleSockets(cluster);
  return (await canListen(join(cluster, `.s.assay.${process.pid}`))) ? '.' : '';
}

/** The folder of the socket of a running server; undefined if it has none. */
export async function unixSocketFolder(cluster: string, port: number): Promise<string | undefined> {
  const path = join(cluster, `.s.PGSQL.${port}`);
  return isShort(path) && (await succeeds(access(path))) ? cluster : undefined;
}

/**
 * Removes what a killed server has left. PostgreSQL does so itself, unless another process has the server's process id by now, which
 * is usual after the restart of a container.
 */
async function removeStaleSockets(cluster: string): Promise<void> {
  for (const name of (await readdir(cluster)).filter((each) => SOCKET_LOCK.test(each))) {
    const path = join(cluster, name);
    const pid = Number((await readFile(path, 'utf8').catch(() => '')).split('\n')[0]);
    if (pid > 0 && (await isAlive(pid)) && (await isServerOf(pid, cluster)) !== false) continue;
    await rm(path, { force: true });
    await rm(path.slice(0, -'.lock'.length), { force: true });
  }
}

/** Whether the file system has sockets; PostgreSQL does not start if it cannot create one. */
async function canListen(path: string): Promise<boolean> {
  if (!isShort(path)) return false;
  await rm(path, { force: true });
  const server = createServer().listen(path);
  const listens = await succeeds(once(server, 'listening'));
  if (listens) await new Promise((resolve) => server.close(resolve)); // also removes the socket
  return listens;
}

const isShort = (path: string) => Buffer.byteLength(path) <= MAX_PATH_BYTES;
