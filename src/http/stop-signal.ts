import type { FastifyReply } from 'fastify';

/** A signal that aborts when the gateway closes or the client disconnects. Not `AbortSignal.any`, which would leak. */
export function stopOf(
  closing: AbortSignal,
  reply: FastifyReply,
): {
  stop: AbortSignal;
  abort: () => void;
  release: () => void;
} {
  const controller = new AbortController();
  const stop = () => controller.abort();
  if (closing.aborted || reply.raw.destroyed) stop();
  closing.addEventListener('abort', stop);
  reply.raw.once('close', stop);
  return {
    stop: controller.signal,
    abort: stop,
    release: () => {
      closing.removeEventListener('abort', stop);
      reply.raw.removeListener('close', stop);
    },
  };
}
