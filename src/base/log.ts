import { type Logger, pino } from 'pino';

export type Log = Logger;

/** The log of one process: JSON lines on standard error, so that standard output stays free for what a command prints. */
export function createLog(level: string, role: string): Log {
  return pino(
    {
      level,
      base: { role, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      // A second lock on the door: no request object is logged whole, and these keys are masked wherever they appear.
      redact: { paths: ['*.authorization', '*.token', '*.secret', '*.password', '*.cookie'], censor: '[masked]' },
    },
    pino.destination({ fd: 2, sync: true }),
  );
}
