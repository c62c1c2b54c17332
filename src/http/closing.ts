import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { answerOn } from './server-limits.ts';

/**
 * Closing without cutting anybody off: no new connection is accepted, requests in flight are answered with
 * `Connection: close`, idle connections are closed, and after `graceMs` whatever is left is cut. Returns the signal by
 * which those who hold a request open learn of it.
 */
export function closeGently(app: FastifyInstance, graceMs: number): AbortSignal {
  const closing = new AbortController();
  // Each request that is held listens: the eleventh is no leak, as Node would warn.
  setMaxListeners(0, closing.signal);
  const sockets = new Set<Socket>();

  // Watching connections, not requests: a connection is made once for many requests.
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  app.addHook('preClose', (done) => {
    for (const socket of sockets) {
      const answer = answerOn(socket);
      if (answer !== undefined && !answer.headersSent) answer.shouldKeepAlive = false;
    }
    closing.abort();
    // Node closes what is idle now; a connection that becomes idle a moment later would hold us for its keep-alive time.
    const idle = setInterval(() => app.server.closeIdleConnections(), 50);
    // Browsers connect before they have anything to say. Node counts that as busy and would wait for the first word; what
    // has been said already is heard by then.
    const silent = setTimeout(() => {
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    }, SILENT_MS);
    const cut = setTimeout(() => app.server.closeAllConnections(), graceMs);
    app.server.once('close', () => {
      clearInterval(idle);
      clearTimeout(silent);
      clearTimeout(cut);
    });
    done();
  });

  return closing.signal;
}

const SILENT_MS = 500;
