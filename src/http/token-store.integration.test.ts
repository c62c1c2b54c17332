import { hash } from 'node:crypto';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import type { Queryable } from '../base/db.ts';
import { createLog } from '../base/log.ts';
import { deleteToken, insertToken } from './access-tokens.ts';
import { createTokenStore } from './token-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const digestOf = (token: string) => hash('sha256', token, 'hex');
const issueOne = (name: string, lifetimeSeconds?: number) =>
  insertToken(database.db, { service: 'stt', name, role: 'client', digest: digestOf(name), lifetimeSeconds });

/** A gateway's token cache with a controllable database outage and clock. */
async function gateway({ unavailable = false } = {}) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const world = { unavailable, ms: 1000 };
  const db: Queryable = {
    query: (...query) => (world.unavailable ? Promise.reject(new Error('unavailable')) : database.db.query(...query)),
  };
  const issued = await createTokenStore({
    ...{ db, signal: stop.signal, refreshMs: 10, clockMs: () => world.ms },
    log: createLog('silent', 'test'),
  });
  const names = () => issued.of('stt').tokens.map(({ name }) => name);
  return { world, issued, names };
}

it('every gateway reads issued and revoked tokens', async () => {
  const one = await gateway();
  const other = await gateway();
  expect(await issueOne('acme')).toEqual({ expiresAt: null });
  for (const { names } of [one, other]) await vi.waitFor(() => expect(names()).toContain('acme'));
  expect(one.issued.of('defectoscopy')).toEqual({ tokens: [], known: true });

  await deleteToken(database.db, { name: 'acme' });
  for (const { names } of [one, other]) await vi.waitFor(() => expect(names()).not.toContain('acme'));
});

it('unchanged tokens are the same object', async () => {
  await issueOne('same');
  const { issued } = await gateway();
  const before = issued.of('stt');
  expect(before.tokens).not.toEqual([]);
  await insertToken(database.db, { service: 'passports', name: 'new', role: 'user', digest: digestOf('new') });
  await vi.waitFor(() => expect(issued.of('passports').tokens).toHaveLength(1));
  expect(issued.of('stt')).toBe(before);
});

it('known tokens stay valid until they expire while the database is unavailable', async () => {
  await issueOne('for ever');
  await issueOne('for a minute', 60);
  const { world, names } = await gateway();
  expect(names()).toEqual(expect.arrayContaining(['for ever', 'for a minute']));

  world.unavailable = true;
  world.ms += 58_000;
  expect(names()).toContain('for a minute');
  world.ms += 3_000;
  expect(names()).not.toContain('for a minute');
  expect(names()).toContain('for ever');
});

it('tokens are marked unknown before the first successful read', async () => {
  const { world, issued } = await gateway({ unavailable: true });
  expect(issued.of('stt').known).toBe(false);
  world.unavailable = false;
  await vi.waitFor(() => expect(issued.of('stt').known).toBe(true));
});

it('a token name is unique within its service until the token expires', async () => {
  await issueOne('once', 60);
  expect(await issueOne('once')).toBeUndefined();
  await database.db.query(`update access_tokens set expires_at = now() where name = 'once'`);
  expect(await issueOne('once')).toEqual({ expiresAt: null });
});
