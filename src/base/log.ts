import { type Logger, pino } from 'pino';

export type Log = Logger;

/** Logs JSON lines to standard error; standard output is reserved for the output of commands. */
export function createLog(level: string, role: string): Log {
  return pino(
    {
      level,
      base: { role, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      // Defence in depth: no code logs whole request objects.
      redact: { paths: ['*.authorization', '*.token', '*.secret', '*.password', '*.cookie'], censor: '[masked]' },
    },
    pino.destination({ fd: 2, sync: true }),
  );
}
