import { startEmbeddedPostgres } from '../../../dist/base/embedded-postgres.js';
import { createLog } from '../../../dist/base/log.js';

export const log = createLog('silent', 'bench');

export async function startPostgres(environment, dataDir) {
  const start = async () => {
    const server = await startEmbeddedPostgres({ dataDir, log });
    environment.adopt(server.pid);
    return server;
  };
  let server = await start();
  return {
    url: server.url,
    pid: () => server.pid,
    kill: () => environment.kill(server.pid),
    async restart() {
      await server.exited;
      server = await start();
    },
  };
}
