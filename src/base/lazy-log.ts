import type { Log } from './log.ts';

/**
 * A child of `parent` with `bindings` that is created at the first line. Most requests and attempts log nothing, and creating a
 * child logger takes as long as authentication and the rate limit of a request together.
 */
export function createLazyLog(parent: Log, bindings: object): Log {
  const log: LazyLog = Object.create(prototype);
  log.parent = parent;
  log.bindings = bindings;
  log.created = undefined;
  return log as unknown as Log;
}

type LazyLog = { parent: Log; bindings: object; created: Log | undefined };

const METHODS = [
  'fatal',
  'error',
  'warn',
  'info',
  'debug',
  'trace',
  'silent',
  'child',
  'isLevelEnabled',
  'bindings',
  'flush',
] as const;

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

Object.defineProperty(prototype, 'level', {
  get(this: LazyLog): string {
    return this.parent.level;
  },
});

/** Like pino's `setBindings`. */
prototype['setBindings'] = function (this: LazyLog, more: object): void {
  this.bindings = { ...this.bindings, ...more };
  this.created = undefined;
};
