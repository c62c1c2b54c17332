import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { openDb } from './db.ts';
import { createLog, summarizeOutage } from './log.ts';

async function refusedConnection(): Promise<Error> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  const db = openDb({ url: `postgres://u@127.0.0.1:${port}/d`, log: createLog('silent', 'test') });
  try {
    return await db.query('select').then(
      () => new Error('connected'),
      (error: Error) => error,
    );
  } finally {
    await db.close();
  }
}

describe('A log line', () => {
  it('has the reason of a failed connection instead of a stack trace', async () => {
    const line = summarizeOutage({ err: await refusedConnection(), task: 't' });
    expect(line).toEqual({ task: 't', reason: expect.stringContaining('ECONNREFUSED') });
    const timeout = new Error('timeout exceeded when trying to connect');
    expect(summarizeOutage({ err: timeout })).toEqual({ reason: timeout.message });
    const lost = new Error('Connection terminated', { cause: new Error('read ECONNRESET') });
    expect(summarizeOutage({ err: lost })).toEqual({ reason: 'Connection terminated: read ECONNRESET' });
  });

  it('has the messages of all causes in the reason', async () => {
    const refused = (address: string) =>
      Object.assign(new Error(`connect ECONNREFUSED ${address}`), { code: 'ECONNREFUSED' });
    const cause = new AggregateError([refused('::1:9'), refused('127.0.0.1:9')]);
    const err = new Error('Unexpected provider error.', {
      cause: new Error('The connection failed.', { cause: Object.assign(cause, { code: 'ECONNREFUSED' }) }),
    });
    expect(summarizeOutage({ err })).toEqual({
      reason:
        'Unexpected provider error: The connection failed: connect ECONNREFUSED ::1:9, connect ECONNREFUSED 127.0.0.1:9',
    });
  });

  it('has each message once for an error that is its own cause', () => {
    const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    reset.cause = reset;
    expect(summarizeOutage({ err: reset })).toEqual({ reason: 'read ECONNRESET' });
    const lost = new Error('Connection terminated');
    lost.cause = new Error('the first', { cause: lost });
    expect(summarizeOutage({ err: lost })).toEqual({ reason: 'Connection terminated: the first' });
  });

  it('keeps the stack trace of other errors and of statement timeouts', () => {
    for (const err of [new Error('a defect'), Object.assign(new Error('canceling statement'), { code: '57014' })])
      expect(summarizeOutage({ err })).toEqual({ err });
  });
});
