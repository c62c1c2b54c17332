import type { FastifyBaseLogger } from 'fastify';

/**
 * A request's log: every line carries the request id. It becomes a real child logger at its first line. Most requests
 * write none, and a child for each of them cost as much as credentials and rate limit together.
 */
export function requestLog(parent: FastifyBaseLogger, bindings: object): FastifyBaseLogger {
  const log: Lazy = Object.create(lines);
  log.parent = parent;
  log.bindings = bindings;
  log.own = undefined;
  return log as unknown as FastifyBaseLogger;
}

type Lazy = { parent: FastifyBaseLogger; bindings: object; own: FastifyBaseLogger | undefined };

const METHODS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent', 'child'] as const;

// One object for all requests: Fastify looks at these methods for each request, so looking must not make the child.
const lines: Record<string, (this: Lazy, ...given: never[]) => unknown> = Object.fromEntries(
  METHODS.map((method) => [
    method,
    function (this: Lazy, ...line: unknown[]): unknown {
      this.own ??= this.parent.child(this.bindings);
      return Reflect.apply(this.own[method], this.own, line);
    },
  ]),
);

/** As pino's own: what every line from here on carries too. */
lines['setBindings'] = function (this: Lazy, more: object): void {
  this.bindings = { ...this.bindings, ...more };
  this.own = undefined;
};
