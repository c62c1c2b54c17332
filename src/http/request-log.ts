import type { FastifyBaseLogger } from 'fastify';

/**
 * A request logger that creates its child logger at the first line. Most requests log nothing, and a child logger takes as
 * long as authentication and the rate limit together.
 */
export function createRequestLog(parent: FastifyBaseLogger, bindings: object): FastifyBaseLogger {
  const log: LazyLog = Object.create(prototype);
  log.parent = parent;
  log.bindings = bindings;
  log.created = undefined;
  return log as unknown as FastifyBaseLogger;
}

type LazyLog = { parent: FastifyBaseLogger; bindings: object; created: FastifyBaseLogger | undefined };

const METHODS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent', 'child'] as const;

// A shared prototype: Fastify reads these methods for each request, which must not create the child logger.
const prototype: Record<string, (this: LazyLog, ...line: never[]) => unknown> = Object.fromEntries(
  METHODS.map((method) => [
    method,
    function (this: LazyLog, ...line: unknown[]): unknown {
      this.created ??= this.parent.child(this.bindings);
      return Reflect.apply(this.created[method], this.created, line);
    },
  ]),
);

/** Like pino's `setBindings`. */
prototype['setBindings'] = function (this: LazyLog, more: object): void {
  this.bindings = { ...this.bindings, ...more };
  this.created = undefined;
};
