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

/** The messages of an error and its causes. */
function messagesOf(error: Error): string {
  // A failed connection to a host with several addresses has no message.
  const parts = error instanceof AggregateError ? error.errors.map(messagesOf).join(', ') : '';
  const message = error.message || parts || String((error as { code?: unknown }).code);
  return error.cause instanceof Error ? `${message.replace(/\.$/, '')}: ${messagesOf(error.cause)}` : message;
}
