import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { pendingResponse } from './server-limits.ts';

/**
 * Graceful shutdown: accepts no new connections, completes requests in flight with `Connection: close`, closes idle
 * connections, and closes all connections after `graceMs`. The returned signal aborts when the shutdown begins.
 */
export function shutDownGracefully(app: FastifyInstance, graceMs: number): AbortSignal {
  const closing = new AbortController();
  // Every long-polling request adds a listener.
  setMaxListeners(0, closing.signal);
  const sockets = new Set<Socket>();

  // Tracks connections, which are fewer than requests.
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  app.addHook('preClose', (done) => {
    for (const socket of sockets) {
      const response = pendingResponse(socket);
      if (response !== undefined && !response.headersSent) response.shouldKeepAlive = false;
    }
    closing.abort();
    // Node closes only connections that are idle now; others become idle later.
    const idle = setInterval(() => app.server.closeIdleConnections(), 50);
    // Browsers preconnect. Node counts connections without any request as busy and would wait for them.
    const unused = setTimeout(() => {
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    }, UNUSED_TIMEOUT_MS);
    const forced = setTimeout(() => app.server.closeAllConnections(), graceMs);
    app.server.once('close', () => {
      clearInterval(idle);
      clearTimeout(unused);
      clearTimeout(forced);
    });
    done();
  });

  return closing.signal;
}

const UNUSED_TIMEOUT_MS = 500;
