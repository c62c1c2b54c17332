import { type Logger, pino } from 'pino';
import { isStatementTimeout, isUnavailable } from './db-errors.ts';

export type Log = Logger;

/** Logs JSON lines to standard error; standard output is reserved for the output of commands. */
export function createLog(level: string, role: string): Log {
  return pino(
    {
      level,
      base: { role, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { log: summarizeOutage },
      // Defence in depth: no code logs whole request objects.
      redact: { paths: ['*.authorization', '*.token', '*.secret', '*.password', '*.cookie'], censor: '[masked]' },
    },
    pino.destination({ fd: 2, sync: true }),
  );
}

/** An unavailable database or other service is expected: its line has a `reason` instead of an error with a stack trace. */
export function summarizeOutage(line: Record<string, unknown>): Record<string, unknown> {
  const { err, ...others } = line;
  if (!(err instanceof Error) || !isUnavailable(err) || isStatementTimeout(err)) return line;
  return { ...others, reason: messagesOf(err) };
}

/** The messages of an error and its causes, each once: an error can be its own cause. */
function messagesOf(error: Error, seen: readonly Error[] = []): string {
  const known = [...seen, error];
  const isNew = (other: unknown): other is Error => other instanceof Error && !known.includes(other);
  // A failed connection to a host with several addresses has no message.
  const parts = error instanceof AggregateError ? error.errors.filter(isNew).map((one) => messagesOf(one, known)) : [];
  const message = error.message || parts.join(', ') || String((error as { code?: unknown }).code);
  return isNew(error.cause) ? `${message.replace(/\.$/, '')}: ${messagesOf(error.cause, known)}` : message;
}
