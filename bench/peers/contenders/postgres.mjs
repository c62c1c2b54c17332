// The PostgreSQL that Assay brings along, with its settings as they are (fsync on), for whoever needs one.
import { startEmbeddedPostgres } from '../../../dist/base/embedded-postgres.js';
import { createLog } from '../../../dist/base/log.js';

export const log = createLog('silent', 'bench');

export async function startPostgres(house, dataDir) {
  const start = async () => {
    const server = await startEmbeddedPostgres({ dataDir, log });
    house.adopt(server.pid);
    return server;
  };
  let server = await start();
  return {
    url: server.url,
    pid: () => server.pid,
    /** `kill -9` of the server and all its parts, then a new one on the same files. */
    kill: () => house.kill(server.pid),
    async restart() {
      await server.exited;
      server = await start();
    },
  };
}
