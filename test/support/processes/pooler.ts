import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './assay.ts';
import { withConnection } from './postgres.ts';
import { waitUntil } from './until.ts';

export interface Pooler {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts PgBouncer with default settings except for the server address and the pool mode. */
export async function startPooler(
  program: string,
  serverUrl: string,
  mode: 'session' | 'transaction',
): Promise<Pooler> {
  const { hostname, port, username, password, pathname } = new URL(serverUrl);
  const folder = await mkdtemp(join(tmpdir(), `assay-test-${process.pid}-`));
  await chmod(folder, 0o755);
  const listen = await freePort();
  const ini = join(folder, 'pgbouncer.ini');
  // Fewer connections than clients, so that clients share connections.
  await writeFile(
    ini,
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listen}
unix_socket_dir =
auth_type = plain
auth_file = ${join(folder, 'users.txt')}
pool_mode = ${mode}
default_pool_size = ${mode === 'session' ? 60 : 3}
max_client_conn = 200
`,
  );
  await writeFile(join(folder, 'users.txt'), `"${username}" "${password}"\n`, { mode: 0o644 });
  // PgBouncer does not run as root.
  const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const child = spawn(program, [ini], { ...account, cwd: '/', stdio: 'ignore' });
  const exited = once(child, 'exit');
  const url = `postgres://${username}:${password}@127.0.0.1:${listen}${pathname}`;
  await waitUntil(() =>
    withConnection(url, (db) => db.query('select')).then(
      () => true,
      () => false,
    ),
  );
  return {
    url,
    async close() {
      child.kill('SIGTERM');
      child.kill('SIGINT');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
