import pg from 'pg';
import type { Log } from './log.ts';
import { aborted, sleep } from './loop.ts';

/** Listens to `channel` on a connection of its own, and connects again until `signal` aborts. See `Db.listen`. */
export async function listen(options: {
  connection: pg.ClientConfig;
  channel: string;
  onHint: (payload: string) => void;
  log: Log;
  signal: AbortSignal;
}): Promise<void> {
  const { connection, channel, onHint, log, signal } = options;
  const hint = (payload: string) => {
    try {
      onHint(payload);
    } catch (error) {
      log.error({ err: error, channel }, 'the handler of a notification failed');
    }
  };
  for (let failures = 0; !signal.aborted; failures++) {
    const client = new pg.Client(connection);
    const over = new AbortController();
    const stop = () => over.abort();
    client.on('error', stop).on('end', stop);
    client.on('notification', (message) => hint(message.payload ?? ''));
    signal.addEventListener('abort', stop);
    try {
      await client.connect();
      await client.query(`listen ${pg.escapeIdentifier(channel)}`);
      failures = 0;
      hint('');
      await aborted(over.signal);
      if (!signal.aborted) log.warn({ channel }, 'the connection for notifications was lost; polling continues');
    } catch (error) {
      log.warn({ reason: String(error), channel }, 'notifications are unavailable; polling continues');
    }
    signal.removeEventListener('abort', stop);
    await client.end().catch(() => {});
    await sleep(Math.min(100 * 2 ** failures, 10_000), signal);
  }
}
