import { afterEach, describe, expect, it } from 'vitest';
import { openDb } from '../src/base/db.ts';
import { createLog } from '../src/base/log.ts';
import { asking, cleanUpServers, startPostgres } from './processes/postgres.ts';
import { startRelay, startStandby } from './processes/standby.ts';
import { until } from './processes/until.ts';

afterEach(cleanUpServers);

describe('behind a relay that a standby takes over', () => {
  it('a database answers again by itself, and has everything that was acknowledged', async () => {
    const primary = await startPostgres();
    await asking(primary.url, (db) => db.query('create table notes (id int primary key)'));
    const standby = await startStandby(primary.url, { synchronous: true });
    const relay = await startRelay(primary);
    const db = openDb({ url: relay.in(primary.url), log: createLog('silent', 'test'), max: 2 });
    const hints: string[] = [];
    const over = new AbortController();
    const listening = db.listen('notes', (hint) => hints.push(hint), over.signal);
    await until(() => hints.length === 1);
    let noted = 0;
    for (; noted < 20; noted++) await db.query('insert into notes values ($1)', [noted]);

    await relay.cut();
    await expect(db.query('select')).rejects.toThrow();
    await primary.kill();
    relay.target(standby);
    await relay.mend();
    // Reached, but a standby still: as unavailable as none at all, and the pool drops the connection.
    await expect(db.query('insert into notes values (1000)')).rejects.toMatchObject({ code: '25006' });
    await standby.promote();
    expect((await db.query('insert into notes values (1000)')).rowCount).toBe(1);
    const { rows } = await db.query<{ count: number }>('select count(*) from notes');
    expect(rows[0]!.count).toBe(noted + 1);
    await until(() => hints.length === 2);
    await db.notify('notes', 'after');
    await until(() => hints.includes('after'));

    over.abort();
    await listening;
    await db.close();
    await relay.close();
  });
});
